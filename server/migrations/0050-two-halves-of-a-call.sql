-- What an agent does with a machine, and how it puts somebody through.
alter table agents
  add column voicemail_action   text not null default 'hangup' check (voicemail_action in ('hangup', 'message')),
  add column voicemail_message  text,
  add column transfer_mode      text not null default 'cold' check (transfer_mode in ('cold', 'warm'));

-- A carrier whose events can arrive in any process tells of a call in two halves: the conversation, from the process
-- that held it, and the end of the call. Whoever writes the second half settles the call.
alter table calls
  -- The process that holds, or held, the conversation; null before there is one.
  add column talk_node         text,
  -- The conversation once it is over.
  add column talk              jsonb,
  -- The carrier's end of the call: {"at", "duration_seconds"}.
  add column hangup            jsonb,
  add column transfer_bridged  boolean not null default false,
  -- Machine detection has said so.
  add column machine           boolean not null default false,
  -- When the carrier was last asked about a call that is late in coming to its end.
  add column looked_up_at      timestamptz,
  -- The turns (from 0) that the summary, the result and each extracted field rest on.
  add column evidence          jsonb;

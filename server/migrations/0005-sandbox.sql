-- The sandbox carrier and mail box: a stand-in for the outside world with a memory of its own. Nothing refers to these
-- tables and they refer to nothing; they know our calls and messages only by the ids that a real provider would be told.
create table sandbox_calls (
  company_id   bigint not null,
  call_id      bigint not null,
  to_number    text not null,
  from_number  text,
  attempt      integer not null,
  persona      text not null,
  -- How long the carrier lets it ring and lets it talk.
  ring_seconds integer not null,
  max_seconds  integer not null,
  placed_at    timestamptz not null,
  answered_at  timestamptz,
  -- In flight: from placed_at until here.
  ended_at     timestamptz,
  -- The same moments by the database's clock: on a fast sandbox clock, processes a millisecond apart disagree by seconds.
  placed_real  timestamptz not null default clock_timestamp(),
  ended_real   timestamptz,
  outcome      text check (outcome in ('completed', 'busy', 'no_answer', 'canceled', 'failed', 'refused')),
  primary key (company_id, call_id)
) with (fillfactor = 75);

create table sandbox_messages (
  company_id    bigint not null,
  key           text not null,
  channel       text not null check (channel in ('sms', 'email')),
  to_address    text not null,
  from_address  text,
  subject       text,
  body          text not null,
  attachments   jsonb,
  accepted_at   timestamptz not null,
  status        text not null default 'accepted' check (status in ('accepted', 'delivered', 'failed')),
  reason        text,
  error         text,
  settled_at    timestamptz,
  primary key (company_id, key)
) with (fillfactor = 75);

-- Reports that the mail server puts off are sent later; who has got one, or never will, is not asked about again.
alter table report_runs
  -- By recipient: null once it was sent, or why it was not.
  add column outcomes  jsonb not null default '{}',
  add column put_off   integer not null default 0,
  add column retry_at  timestamptz;

-- Which channels reach real people, as of the last start of an engine. Before this it was not kept: whoever is real now
-- may have been the sandbox's then.
create table channels (
  channel  text primary key check (channel in ('voice', 'sms', 'email')),
  sandbox  boolean not null
);
insert into channels (channel, sandbox) values ('voice', true), ('sms', true), ('email', true);

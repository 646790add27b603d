-- A real provider does not know our keys: what is about to be sent is written down first, in its final words, so that
-- the provider can be asked about it afterwards.
alter table messages
  -- {"to", "subject", "body", "at"}: at by the real clock; null while nothing has been asked of the provider.
  add column intent        jsonb,
  add column from_address  text,
  -- The parts that a text was cut into; each is paid for.
  add column segments      integer,
  -- Why it failed: opted_out, unreachable, invalid_address, not_allowed.
  add column reason        text,
  -- How often the provider has put it off.
  add column put_off       integer not null default 0;

-- What was received is kept once, however often it is told.
create unique index messages_received on messages (company_id, provider, provider_message_id) where direction = 'inbound';
create index messages_to on messages (company_id, to_address, id) where to_address is not null;

-- Inbound texts that were heard, also those that no contact wrote: the answer goes out once.
create table inbound_texts (
  provider             text not null,
  provider_message_id  text not null,
  received_at          timestamptz not null default now(),
  primary key (provider, provider_message_id)
);

-- Where messages don't arrive. The row goes when something is delivered to the address, or comes from it.
create table undeliverable (
  company_id  bigint not null references companies (id),
  channel     text not null check (channel in ('sms', 'email')),
  address     text not null,
  reason      text not null check (reason in ('unreachable', 'invalid_address')),
  error       text,
  -- Automatic messages wait until then; null: for good.
  until       timestamptz,
  noted_at    timestamptz not null,
  primary key (company_id, channel, address)
);

-- To whom a report was sent, or was about to be.
alter table report_runs add column attempted text[] not null default '{}';

-- Signs links in messages. It belongs to the installation: links outlive restarts and hold in every process.
create table link_secret (
  id      integer primary key check (id = 1),
  secret  bytea not null
);
insert into link_secret (id, secret) values (1, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- The migrated database, for reading: written by "npm run schema", kept true by a test.

create extension btree_gin;
create extension pg_trgm;

CREATE OR REPLACE FUNCTION public.batch_permissions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into permission_batches (company_id, ids)
  select company_id, array_agg(id order by id) from written group by company_id;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.evidence_hash(p permissions)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select case when p.evidence_nonce is not null and p.evidence is not null
    then sha256(uuid_send(p.evidence_nonce) || convert_to(p.evidence::text, 'UTF8')) end
$function$
;
CREATE OR REPLACE FUNCTION public.keep_audit_log()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' then
    if new.changes is null and to_jsonb(new) - 'changes' = to_jsonb(old) - 'changes' and old.client_id is not null
      and not exists (select from clients c where c.company_id = old.company_id and c.id = old.client_id)
    then
      return new;
    end if;
  end if;
  raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end
$function$
;
CREATE OR REPLACE FUNCTION public.keep_permission_links()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'permissions are append-only' using errcode = 'insufficient_privilege';
end
$function$
;
CREATE OR REPLACE FUNCTION public.keep_permissions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' then
    if new.address is null and new.evidence is null and new.evidence_nonce is null
      and to_jsonb(new) - '{address,evidence,evidence_nonce}'::text[] = to_jsonb(old) - '{address,evidence,evidence_nonce}'::text[]
    then
      return new;
    end if;
  end if;
  raise exception 'permissions are append-only' using errcode = 'insufficient_privilege';
end
$function$
;
CREATE OR REPLACE FUNCTION public.link_permissions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from permission_batches where company_id = new.company_id and id = new.id) then
    return null;
  end if;
  -- Only this transaction's own batches can be seen. In the order of the companies, so that no two wait for each other.
  insert into permission_chains select distinct company_id, 0, ''::bytea from permission_batches order by company_id
  on conflict (company_id) do nothing;
  perform from permission_chains where company_id in (select company_id from permission_batches) order by company_id for update;
  with batches as (
    delete from permission_batches returning company_id, ids
  ), links as (
    select b.company_id, b.id, r.evidence_hash,
      h.position + row_number() over in_order as position,
      chained(r.content, h.hash) over in_order as hash
    from (select company_id, unnest(ids) as id from batches) b
    join permission_chains h on h.company_id = b.company_id
    -- One by one by the key, whatever the planner believes of a table that was never analysed.
    cross join lateral (
      select e.hash as evidence_hash, permission_content(p, e.hash) as content
      from permissions p cross join lateral (select evidence_hash(p) as hash) e
      where p.company_id = b.company_id and p.id = b.id limit 1
    ) r
    window in_order as (partition by b.company_id order by b.id rows unbounded preceding)
  ), written as (
    insert into permission_links (company_id, position, permission_id, evidence_hash, hash)
    select company_id, position, id, evidence_hash, hash from links
  )
  update permission_chains h set position = l.position, hash = l.hash
  from (select distinct on (company_id) company_id, position, hash from links order by company_id, position desc) l
  where h.company_id = l.company_id;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.next_link(hash bytea, content bytea, head bytea)
 RETURNS bytea
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return sha256(coalesce(hash, head) || content);
end
$function$
;
CREATE OR REPLACE FUNCTION public.permission_content(p permissions, evidence_hash bytea)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select convert_to(jsonb_build_array(p.company_id, p.id, p.kind, p.channel, p.purpose, encode(p.address_hash, 'hex'),
    p.address_ending, p.client_id, p.source, p.actor, p.firm, encode(p.wording_hash, 'hex'), p.form_version,
    extract(epoch from p.obtained_at)::text, p.origin, extract(epoch from p.created_at)::text,
    encode(evidence_hash, 'hex'))::text, 'UTF8')
$function$
;

create table agents (
  company_id                      bigint not null,
  id                              text not null,
  name                            text not null,
  voice_id                        text not null,
  greeting                        text not null,
  task                            text not null,
  post_call_fields                jsonb not null default '[]'::jsonb,
  transfer_number                 text,
  is_transfer_enabled             boolean not null default false,
  is_appointment_booking_enabled  boolean not null default false,
  phone_number                    text,
  phone_assignments               jsonb not null default '[]'::jsonb,
  created_at                      timestamp with time zone not null default now(),
  updated_at                      timestamp with time zone,
  deleted_at                      timestamp with time zone,
  voicemail_action                text not null default 'hangup'::text,
  voicemail_message               text,
  transfer_mode                   text not null default 'cold'::text,
  constraint agents_pkey PRIMARY KEY (company_id, id),
  constraint agents_transfer_mode_check CHECK (transfer_mode = ANY (ARRAY['cold'::text, 'warm'::text])),
  constraint agents_voicemail_action_check CHECK (voicemail_action = ANY (ARRAY['hangup'::text, 'message'::text])),
  constraint agents_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

create table api_keys (
  company_id    bigint not null,
  id            bigint not null generated by default as identity,
  name          text not null,
  hash          bytea not null,
  prefix        text not null,
  enabled       boolean not null default true,
  created_at    timestamp with time zone not null default now(),
  last_used_at  timestamp with time zone,
  constraint api_keys_pkey PRIMARY KEY (company_id, id),
  constraint api_keys_hash_check CHECK (length(hash) = 32),
  constraint api_keys_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX api_keys_hash ON api_keys USING btree (hash);

create table appointments (
  company_id     bigint not null,
  id             bigint not null generated by default as identity,
  case_id        bigint not null,
  client_id      bigint not null,
  call_id        bigint not null,
  starts_at      timestamp with time zone not null,
  minutes        integer not null,
  timezone       text not null,
  mail_promised  boolean not null,
  case_task_id   bigint,
  created_at     timestamp with time zone not null,
  constraint appointments_pkey PRIMARY KEY (company_id, id),
  constraint appointments_company_id_call_id_fkey FOREIGN KEY (company_id, call_id) REFERENCES calls(company_id, id),
  constraint appointments_company_id_case_id_fkey FOREIGN KEY (company_id, case_id) REFERENCES cases(company_id, id),
  constraint appointments_company_id_case_task_id_fkey FOREIGN KEY (company_id, case_task_id) REFERENCES case_tasks(company_id, id),
  constraint appointments_company_id_client_id_fkey FOREIGN KEY (company_id, client_id) REFERENCES clients(company_id, id)
);
CREATE INDEX appointments_at ON appointments USING btree (company_id, starts_at);
CREATE UNIQUE INDEX appointments_of_call ON appointments USING btree (company_id, call_id);
CREATE INDEX appointments_of_case ON appointments USING btree (company_id, case_id, starts_at);
CREATE INDEX appointments_of_client ON appointments USING btree (company_id, client_id);

create table attachments (
  company_id    bigint not null,
  ulid          text not null,
  file_name     text not null,
  content_type  text not null,
  content       bytea not null,
  created_at    timestamp with time zone not null default now(),
  constraint attachments_pkey PRIMARY KEY (company_id, ulid),
  constraint attachments_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

create table audit_log (
  company_id   bigint not null,
  id           bigint not null generated by default as identity,
  activity     text not null,
  actor        text not null,
  actor_id     bigint,
  channel      text not null,
  record_type  text not null,
  record_id    text not null,
  case_id      bigint,
  client_id    bigint,
  changes      jsonb,
  request_id   text,
  created_at   timestamp with time zone not null default now(),
  constraint audit_log_pkey PRIMARY KEY (company_id, id)
);
CREATE INDEX audit_log_case ON audit_log USING btree (company_id, case_id, id) WHERE case_id IS NOT NULL;
CREATE INDEX audit_log_client ON audit_log USING btree (company_id, client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX audit_log_time ON audit_log USING brin (created_at);
CREATE TRIGGER audit_log_keeps_entries BEFORE UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION keep_audit_log();
CREATE TRIGGER audit_log_keeps_rows BEFORE DELETE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_log();

create table calls (
  company_id            bigint not null,
  id                    bigint not null generated by default as identity,
  campaign_id           bigint not null,
  client_id             bigint not null,
  case_id               bigint not null,
  run_id                bigint,
  agent_id              text not null,
  attempt               integer not null,
  state                 text not null,
  node_id               text,
  provider              text not null,
  provider_call_id      text,
  direction             text not null default 'outbound'::text,
  to_number             text not null,
  from_number           text,
  decision              jsonb not null,
  created_at            timestamp with time zone not null,
  start_time            timestamp with time zone,
  answered_at           timestamp with time zone,
  ended_at              timestamp with time zone,
  duration_seconds      integer,
  result                text,
  disconnection_reason  text,
  end_reason            text,
  sentiment_score       real,
  summary               text,
  transcript            jsonb,
  extracted_fields      jsonb,
  opted_out             boolean not null default false,
  is_disqualified       boolean not null default false,
  callback_at           timestamp with time zone,
  transferred_to        text,
  transfer_steps        integer[],
  talk_node             text,
  talk                  jsonb,
  hangup                jsonb,
  transfer_bridged      boolean not null default false,
  machine               boolean not null default false,
  looked_up_at          timestamp with time zone,
  evidence              jsonb,
  line_end              text,
  constraint calls_pkey PRIMARY KEY (company_id, id),
  constraint calls_state_check CHECK (state = ANY (ARRAY['placing'::text, 'live'::text, 'ended'::text])),
  constraint calls_company_id_agent_id_fkey FOREIGN KEY (company_id, agent_id) REFERENCES agents(company_id, id),
  constraint calls_company_id_campaign_id_fkey FOREIGN KEY (company_id, campaign_id) REFERENCES campaigns(company_id, id),
  constraint calls_company_id_case_id_fkey FOREIGN KEY (company_id, case_id) REFERENCES cases(company_id, id),
  constraint calls_company_id_client_id_fkey FOREIGN KEY (company_id, client_id) REFERENCES clients(company_id, id)
);
CREATE INDEX calls_in_flight ON calls USING btree (company_id, node_id) WHERE state <> 'ended'::text;
CREATE UNIQUE INDEX calls_live ON calls USING btree (company_id, campaign_id, client_id) WHERE state <> 'ended'::text;
CREATE INDEX calls_of_campaign ON calls USING btree (company_id, campaign_id, id);
CREATE INDEX calls_of_case ON calls USING btree (company_id, case_id, id);
CREATE INDEX calls_of_client ON calls USING btree (company_id, client_id, id);
CREATE INDEX calls_on_line ON calls USING btree (company_id, to_number) WHERE state <> 'ended'::text;
CREATE INDEX calls_to_number ON calls USING btree (company_id, to_number, created_at);

create table campaign_contacts (
  company_id      bigint not null,
  campaign_id     bigint not null,
  client_id       bigint not null,
  case_id         bigint not null,
  state           text not null,
  due_at          timestamp with time zone,
  priority        smallint not null default 1,
  attempts        integer not null default 0,
  delays_used     integer not null default 0,
  requested_at    timestamp with time zone,
  callback_at     timestamp with time zone,
  announced       integer not null default 0,
  last_result     text,
  last_decision   jsonb,
  settled_reason  text,
  constraint campaign_contacts_pkey PRIMARY KEY (company_id, campaign_id, client_id),
  constraint campaign_contacts_state_check CHECK (state = ANY (ARRAY['due'::text, 'live'::text, 'settled'::text])),
  constraint campaign_contacts_company_id_campaign_id_fkey FOREIGN KEY (company_id, campaign_id) REFERENCES campaigns(company_id, id),
  constraint campaign_contacts_company_id_case_id_fkey FOREIGN KEY (company_id, case_id) REFERENCES cases(company_id, id),
  constraint campaign_contacts_company_id_client_id_fkey FOREIGN KEY (company_id, client_id) REFERENCES clients(company_id, id)
);
CREATE INDEX campaign_contacts_announced ON campaign_contacts USING btree (company_id, campaign_id, due_at) WHERE state = 'due'::text AND announced > attempts;
CREATE INDEX campaign_contacts_case ON campaign_contacts USING btree (company_id, case_id);
CREATE INDEX campaign_contacts_client ON campaign_contacts USING btree (company_id, client_id);
CREATE INDEX campaign_contacts_due ON campaign_contacts USING btree (company_id, campaign_id, priority, due_at) WHERE state = 'due'::text;

create table campaign_message_days (
  company_id           bigint not null,
  campaign_message_id  bigint not null,
  day                  date not null,
  campaign_id          bigint not null,
  cursor               bigint,
  constraint campaign_message_days_pkey PRIMARY KEY (company_id, campaign_message_id, day),
  constraint campaign_message_days_company_id_campaign_id_fkey FOREIGN KEY (company_id, campaign_id) REFERENCES campaigns(company_id, id),
  constraint campaign_message_days_company_id_campaign_message_id_fkey FOREIGN KEY (company_id, campaign_message_id) REFERENCES campaign_messages(company_id, id)
);
CREATE INDEX campaign_message_days_open ON campaign_message_days USING btree (company_id, campaign_id) WHERE cursor IS NOT NULL;

create table campaign_messages (
  company_id     bigint not null,
  id             bigint not null generated by default as identity,
  campaign_id    bigint not null,
  run_id         bigint not null,
  "position"     integer not null,
  channel        text not null,
  trigger        text not null,
  date           date,
  "time"         text,
  delay_minutes  integer,
  subject        text,
  message        text not null,
  constraint campaign_messages_pkey PRIMARY KEY (company_id, id),
  constraint campaign_messages_channel_check CHECK (channel = ANY (ARRAY['sms'::text, 'email'::text])),
  constraint campaign_messages_trigger_check CHECK (trigger = ANY (ARRAY['scheduled'::text, 'before_call'::text, 'after_successful_call'::text, 'after_failed_call'::text])),
  constraint campaign_messages_company_id_campaign_id_fkey FOREIGN KEY (company_id, campaign_id) REFERENCES campaigns(company_id, id),
  constraint campaign_messages_company_id_run_id_fkey FOREIGN KEY (company_id, run_id) REFERENCES campaign_runs(company_id, id)
);
CREATE INDEX campaign_messages_campaign ON campaign_messages USING btree (company_id, campaign_id, "position");

create table campaign_runs (
  company_id      bigint not null,
  id              bigint not null generated by default as identity,
  campaign_id     bigint not null,
  "position"      integer not null,
  client_run_id   text,
  start_date      date not null,
  end_date        date,
  start_time      text,
  end_time        text,
  messaging_only  boolean not null default false,
  selected_days   jsonb,
  constraint campaign_runs_pkey PRIMARY KEY (company_id, id),
  constraint campaign_runs_company_id_campaign_id_fkey FOREIGN KEY (company_id, campaign_id) REFERENCES campaigns(company_id, id)
);
CREATE UNIQUE INDEX campaign_runs_position ON campaign_runs USING btree (company_id, campaign_id, "position");

create table campaign_stats (
  company_id            bigint not null,
  campaign_id           bigint not null,
  total_calls           bigint not null default 0,
  success_calls         bigint not null default 0,
  failed_calls          bigint not null default 0,
  sentiment_sum         double precision not null default 0,
  sentiment_count       bigint not null default 0,
  total_clients         bigint not null default 0,
  called_clients        bigint not null default 0,
  converted_clients     bigint not null default 0,
  disqualified_clients  bigint not null default 0,
  total_seconds         bigint not null default 0,
  recent_since          timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  recent_calls          integer not null default 0,
  recent_failed         integer not null default 0,
  constraint campaign_stats_pkey PRIMARY KEY (company_id, campaign_id),
  constraint campaign_stats_company_id_campaign_id_fkey FOREIGN KEY (company_id, campaign_id) REFERENCES campaigns(company_id, id)
) with (fillfactor=50);

create table campaigns (
  company_id                  bigint not null,
  id                          bigint not null generated by default as identity,
  name                        text not null,
  agent_id                    text,
  case_list_id                bigint not null,
  form_id                     bigint,
  is_obo                      boolean not null default false,
  calls_scheduled_externally  boolean not null default false,
  never_ending                boolean not null default false,
  concurrency_limit           integer not null default 0,
  self_healing_disabled       boolean not null default false,
  use_company_hours           boolean not null default false,
  business_hours              jsonb,
  callback_delays             jsonb not null,
  purpose                     text not null default 'case_update'::text,
  status                      text not null,
  pause_reason                text,
  plan_cursor                 bigint default 0,
  started_at                  timestamp with time zone,
  completed_at                timestamp with time zone,
  origin                      text not null,
  update_origin               text,
  created_at                  timestamp with time zone not null default now(),
  updated_at                  timestamp with time zone,
  deleted_at                  timestamp with time zone,
  constraint campaigns_pkey PRIMARY KEY (company_id, id),
  constraint campaigns_status_check CHECK (status = ANY (ARRAY['draft'::text, 'scheduled'::text, 'active'::text, 'paused'::text, 'completed'::text])),
  constraint campaigns_company_id_agent_id_fkey FOREIGN KEY (company_id, agent_id) REFERENCES agents(company_id, id),
  constraint campaigns_company_id_case_list_id_fkey FOREIGN KEY (company_id, case_list_id) REFERENCES case_lists(company_id, id),
  constraint campaigns_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint campaigns_company_id_form_id_fkey FOREIGN KEY (company_id, form_id) REFERENCES forms(company_id, id)
);
CREATE INDEX campaigns_agent ON campaigns USING btree (company_id, agent_id);
CREATE INDEX campaigns_list ON campaigns USING btree (company_id, case_list_id);
CREATE INDEX campaigns_open ON campaigns USING btree (company_id, id) WHERE (status = ANY (ARRAY['scheduled'::text, 'active'::text, 'paused'::text])) AND deleted_at IS NULL;

create table case_changes (
  company_id  bigint not null,
  id          bigint not null generated by default as identity,
  case_id     bigint not null,
  constraint case_changes_pkey PRIMARY KEY (company_id, id)
);

create table case_clients (
  company_id  bigint not null,
  case_id     bigint not null,
  client_id   bigint not null,
  constraint case_clients_pkey PRIMARY KEY (company_id, case_id, client_id),
  constraint case_clients_company_id_case_id_fkey FOREIGN KEY (company_id, case_id) REFERENCES cases(company_id, id),
  constraint case_clients_company_id_client_id_fkey FOREIGN KEY (company_id, client_id) REFERENCES clients(company_id, id)
);
CREATE INDEX case_clients_client ON case_clients USING btree (company_id, client_id, case_id);

create table case_list_count_deltas (
  company_id    bigint not null,
  case_list_id  bigint not null,
  id            bigint not null generated by default as identity,
  delta         bigint not null,
  constraint case_list_count_deltas_pkey PRIMARY KEY (company_id, case_list_id, id),
  constraint case_list_count_deltas_company_id_case_list_id_fkey FOREIGN KEY (company_id, case_list_id) REFERENCES case_lists(company_id, id)
);

create table case_list_overrides (
  company_id    bigint not null,
  case_list_id  bigint not null,
  case_id       bigint not null,
  kind          text not null,
  constraint case_list_overrides_pkey PRIMARY KEY (company_id, case_list_id, case_id),
  constraint case_list_overrides_kind_check CHECK (kind = ANY (ARRAY['include'::text, 'exclude'::text])),
  constraint case_list_overrides_company_id_case_id_fkey FOREIGN KEY (company_id, case_id) REFERENCES cases(company_id, id),
  constraint case_list_overrides_company_id_case_list_id_fkey FOREIGN KEY (company_id, case_list_id) REFERENCES case_lists(company_id, id)
);
CREATE INDEX case_list_overrides_case ON case_list_overrides USING btree (company_id, case_id);

create table case_lists (
  company_id          bigint not null,
  id                  bigint not null generated by default as identity,
  name                text not null,
  description         text,
  external_source     text,
  external_source_id  text,
  filter              jsonb,
  is_obo              boolean,
  f_case_type_ids     bigint[],
  f_status_ids        bigint[],
  f_external_sources  text[],
  f_jurisdictions     text[],
  f_court_names       text[],
  f_is_obo            boolean,
  f_created_from      date,
  f_created_to        date,
  f_court_date_from   date,
  f_court_date_to     date,
  f_key               text,
  counted             bigint not null default 0,
  origin              text not null,
  update_origin       text,
  created_at          timestamp with time zone not null default now(),
  updated_at          timestamp with time zone,
  deleted_at          timestamp with time zone,
  constraint case_lists_pkey PRIMARY KEY (company_id, id),
  constraint case_lists_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX case_lists_live ON case_lists USING btree (company_id, id) WHERE deleted_at IS NULL;

create table case_statuses (
  company_id   bigint not null,
  id           bigint not null generated by default as identity,
  name         text not null,
  description  text,
  priority     integer not null default 0,
  parent_id    bigint,
  created_at   timestamp with time zone not null default now(),
  constraint case_statuses_pkey PRIMARY KEY (company_id, id),
  constraint case_statuses_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint case_statuses_company_id_parent_id_fkey FOREIGN KEY (company_id, parent_id) REFERENCES case_statuses(company_id, id)
);
CREATE UNIQUE INDEX case_statuses_name ON case_statuses USING btree (company_id, lower(name));

create table case_tasks (
  company_id    bigint not null,
  id            bigint not null generated by default as identity,
  task_id       bigint not null,
  case_id       bigint not null,
  client_id     bigint,
  status        text not null default 'todo'::text,
  due_on        date,
  answer        jsonb,
  completed_at  timestamp with time zone,
  created_at    timestamp with time zone not null default now(),
  constraint case_tasks_pkey PRIMARY KEY (company_id, id),
  constraint case_tasks_status_check CHECK (status = ANY (ARRAY['todo'::text, 'in_progress'::text, 'completed'::text, 'skipped'::text])),
  constraint case_tasks_company_id_case_id_fkey FOREIGN KEY (company_id, case_id) REFERENCES cases(company_id, id),
  constraint case_tasks_company_id_task_id_fkey FOREIGN KEY (company_id, task_id) REFERENCES tasks(company_id, id)
);
CREATE INDEX case_tasks_case ON case_tasks USING btree (company_id, case_id);
CREATE UNIQUE INDEX case_tasks_open ON case_tasks USING btree (company_id, task_id, case_id) WHERE status = ANY (ARRAY['todo'::text, 'in_progress'::text]);
CREATE INDEX case_tasks_task ON case_tasks USING btree (company_id, task_id, id);

create table case_type_custom_fields (
  company_id    bigint not null,
  id            bigint not null generated by default as identity,
  case_type_id  bigint not null,
  key           text not null,
  source        text not null default 'manual'::text,
  created_at    timestamp with time zone not null default now(),
  constraint case_type_custom_fields_pkey PRIMARY KEY (company_id, id),
  constraint case_type_custom_fields_company_id_case_type_id_fkey FOREIGN KEY (company_id, case_type_id) REFERENCES case_types(company_id, id)
);
CREATE UNIQUE INDEX case_type_custom_fields_key ON case_type_custom_fields USING btree (company_id, case_type_id, lower(key));

create table case_types (
  company_id     bigint not null,
  id             bigint not null generated by default as identity,
  name           text not null,
  description    text,
  pronunciation  text,
  created_at     timestamp with time zone not null default now(),
  constraint case_types_pkey PRIMARY KEY (company_id, id),
  constraint case_types_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE UNIQUE INDEX case_types_name ON case_types USING btree (company_id, lower(name));

create table cases (
  company_id            bigint not null,
  id                    bigint not null generated by default as identity,
  case_number           text not null,
  external_source       text not null,
  external_source_id    text not null,
  external_source_data  jsonb,
  name                  text,
  court_name            text,
  jurisdiction          text,
  description           text,
  representative        text,
  status_id             bigint not null,
  type_id               bigint not null,
  is_obo                boolean,
  created_date          date,
  court_date            date,
  end_date              date,
  opt_out_voice_calls   boolean,
  origin                text not null,
  update_origin         text,
  created_at            timestamp with time zone not null default now(),
  updated_at            timestamp with time zone,
  deleted_at            timestamp with time zone,
  constraint cases_pkey PRIMARY KEY (company_id, id),
  constraint cases_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint cases_company_id_status_id_fkey FOREIGN KEY (company_id, status_id) REFERENCES case_statuses(company_id, id),
  constraint cases_company_id_type_id_fkey FOREIGN KEY (company_id, type_id) REFERENCES case_types(company_id, id)
);
CREATE INDEX cases_filter ON cases USING btree (company_id, type_id, status_id, id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX cases_number ON cases USING btree (company_id, case_number) WHERE deleted_at IS NULL;
CREATE INDEX cases_search ON cases USING gin (company_id, name gin_trgm_ops, case_number gin_trgm_ops) WHERE deleted_at IS NULL;

create table channels (
  channel  text not null,
  sandbox  boolean not null,
  constraint channels_pkey PRIMARY KEY (channel),
  constraint channels_channel_check CHECK (channel = ANY (ARRAY['voice'::text, 'sms'::text, 'email'::text]))
);

create table clients (
  company_id             bigint not null,
  id                     bigint not null generated by default as identity,
  external_source        text not null,
  external_source_id     text not null,
  first_name             text not null,
  last_name              text not null,
  email                  text,
  mobile                 text,
  mobile_e164            text,
  gender                 text,
  date_of_birth          date,
  date_of_death          date,
  city                   text,
  state                  text,
  postal_code            text,
  address_line1          text,
  address_line2          text,
  timezone               text,
  meta                   jsonb,
  voice_calls_opted_out  boolean not null default false,
  sms_opted_out          boolean not null default false,
  email_opted_out        boolean not null default false,
  origin                 text not null,
  update_origin          text,
  created_at             timestamp with time zone not null default now(),
  updated_at             timestamp with time zone,
  deleted_at             timestamp with time zone,
  constraint clients_pkey PRIMARY KEY (company_id, id),
  constraint clients_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX clients_mobile ON clients USING btree (company_id, mobile_e164) WHERE mobile_e164 IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX clients_search ON clients USING gin (company_id, ((first_name || ' '::text) || last_name) gin_trgm_ops, email gin_trgm_ops) WHERE deleted_at IS NULL;

create table companies (
  id                    bigint not null generated by default as identity,
  name                  text not null,
  campaigns_enabled     boolean not null default true,
  concurrency_rate      integer not null default 100,
  business_hours        jsonb,
  created_at            timestamp with time zone not null default now(),
  address_salt          bytea not null default (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
  rules_version         uuid,
  timezone              text,
  appointments_at_once  integer not null default 1,
  constraint companies_pkey PRIMARY KEY (id),
  constraint companies_appointments_at_once_check CHECK (appointments_at_once >= 1 AND appointments_at_once <= 1000),
  constraint companies_concurrency_rate_check CHECK (concurrency_rate >= 1 AND concurrency_rate <= 100)
);

create table compliance_overrides (
  company_id      bigint not null,
  id              bigint not null generated by default as identity,
  kind            text not null,
  rule            jsonb,
  rule_id         text,
  purposes        text[],
  person          text,
  reason          text,
  effective_from  date not null,
  effective_to    date,
  created_at      timestamp with time zone not null default now(),
  ended_at        timestamp with time zone,
  constraint compliance_overrides_pkey PRIMARY KEY (company_id, id),
  constraint compliance_overrides_check CHECK (kind = 'rule'::text AND rule IS NOT NULL OR kind = 'waiver'::text AND rule_id IS NOT NULL AND person <> ''::text AND reason <> ''::text),
  constraint compliance_overrides_kind_check CHECK (kind = ANY (ARRAY['rule'::text, 'waiver'::text])),
  constraint compliance_overrides_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

create table crm_integrations (
  company_id    bigint not null,
  type          text not null,
  enabled       boolean not null default true,
  connected_at  timestamp with time zone not null default now(),
  constraint crm_integrations_pkey PRIMARY KEY (company_id, type),
  constraint crm_integrations_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

create table crm_mappings (
  company_id   bigint not null,
  kayse_field  text not null,
  crm_field    text not null,
  direction    text not null,
  created_at   timestamp with time zone not null default now(),
  updated_at   timestamp with time zone,
  constraint crm_mappings_pkey PRIMARY KEY (company_id, kayse_field),
  constraint crm_mappings_direction_check CHECK (direction = ANY (ARRAY['inbound'::text, 'outbound'::text, 'bidirectional'::text])),
  constraint crm_mappings_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

create table dial_lock (
  id      integer not null,
  recent  jsonb not null default '{}'::jsonb,
  constraint dial_lock_pkey PRIMARY KEY (id),
  constraint dial_lock_id_check CHECK (id = 1)
);

create table engine_nodes (
  id            text not null,
  role          text not null,
  worker_ids    text[] not null default '{}'::text[],
  started_at    timestamp with time zone not null,
  heartbeat_at  timestamp with time zone not null,
  constraint engine_nodes_pkey PRIMARY KEY (id)
);

create table events (
  company_id   bigint not null,
  id           bigint not null generated by default as identity,
  uid          uuid not null default gen_random_uuid(),
  type         text not null,
  event_key    text not null,
  client_id    bigint,
  data         json not null,
  previous     json,
  happened_at  timestamp with time zone not null default now(),
  constraint events_pkey PRIMARY KEY (company_id, id)
);
CREATE INDEX events_client ON events USING btree (company_id, client_id) WHERE client_id IS NOT NULL;

create table forms (
  company_id    bigint not null,
  id            bigint not null generated by default as identity,
  name          text not null,
  description   text,
  due_in        integer,
  case_type_id  bigint,
  version       integer not null default 1,
  created_at    timestamp with time zone not null default now(),
  updated_at    timestamp with time zone,
  constraint forms_pkey PRIMARY KEY (company_id, id),
  constraint forms_company_id_case_type_id_fkey FOREIGN KEY (company_id, case_type_id) REFERENCES case_types(company_id, id),
  constraint forms_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

create table idempotency_keys (
  company_id  bigint not null,
  api_key_id  bigint not null,
  method      text not null,
  path        text not null,
  key         text not null,
  body_hash   bytea not null,
  status      integer,
  body        text,
  created_at  timestamp with time zone not null default now(),
  constraint idempotency_keys_pkey PRIMARY KEY (company_id, api_key_id, method, path, key),
  constraint idempotency_keys_company_id_api_key_id_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys(company_id, id)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys USING btree (company_id, created_at);

create table inbound_texts (
  provider             text not null,
  provider_message_id  text not null,
  received_at          timestamp with time zone not null default now(),
  constraint inbound_texts_pkey PRIMARY KEY (provider, provider_message_id)
);

create table link_secret (
  id      integer not null,
  secret  bytea not null,
  constraint link_secret_pkey PRIMARY KEY (id),
  constraint link_secret_id_check CHECK (id = 1)
);

create table membership_guards (
  company_id  bigint not null,
  constraint membership_guards_pkey PRIMARY KEY (company_id),
  constraint membership_guards_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

create table messages (
  company_id           bigint not null,
  id                   bigint not null generated by default as identity,
  channel              text not null,
  direction            text not null default 'outbound'::text,
  status               text not null,
  client_id            bigint not null,
  case_id              bigint,
  campaign_id          bigint,
  campaign_message_id  bigint,
  occasion             text,
  manual               boolean not null default false,
  also_chat            boolean not null default false,
  to_address           text,
  subject              text,
  body                 text not null,
  due_at               timestamp with time zone,
  node_id              text,
  provider             text,
  provider_message_id  text,
  decision             jsonb,
  error                text,
  origin               text not null,
  created_at           timestamp with time zone not null,
  sent_at              timestamp with time zone,
  intent               jsonb,
  from_address         text,
  segments             integer,
  reason               text,
  put_off              integer not null default 0,
  appointment_id       bigint,
  constraint messages_pkey PRIMARY KEY (company_id, id),
  constraint messages_channel_check CHECK (channel = ANY (ARRAY['sms'::text, 'email'::text])),
  constraint messages_status_check CHECK (status = ANY (ARRAY['scheduled'::text, 'sending'::text, 'sent'::text, 'delivered'::text, 'failed'::text, 'skipped'::text, 'received'::text])),
  constraint messages_appointment FOREIGN KEY (company_id, appointment_id) REFERENCES appointments(company_id, id),
  constraint messages_company_id_campaign_id_fkey FOREIGN KEY (company_id, campaign_id) REFERENCES campaigns(company_id, id),
  constraint messages_company_id_case_id_fkey FOREIGN KEY (company_id, case_id) REFERENCES cases(company_id, id),
  constraint messages_company_id_client_id_fkey FOREIGN KEY (company_id, client_id) REFERENCES clients(company_id, id)
);
CREATE INDEX messages_case ON messages USING btree (company_id, case_id, id);
CREATE INDEX messages_client ON messages USING btree (company_id, client_id, id);
CREATE INDEX messages_due ON messages USING btree (due_at) WHERE status = 'scheduled'::text;
CREATE UNIQUE INDEX messages_of_appointment ON messages USING btree (company_id, appointment_id) WHERE appointment_id IS NOT NULL;
CREATE INDEX messages_of_campaign ON messages USING btree (company_id, campaign_id) WHERE status = ANY (ARRAY['scheduled'::text, 'sending'::text]);
CREATE UNIQUE INDEX messages_once ON messages USING btree (company_id, campaign_message_id, client_id, occasion) WHERE campaign_message_id IS NOT NULL;
CREATE UNIQUE INDEX messages_received ON messages USING btree (company_id, provider, provider_message_id) WHERE direction = 'inbound'::text;
CREATE INDEX messages_sending ON messages USING btree (company_id, node_id) WHERE status = 'sending'::text;
CREATE INDEX messages_to ON messages USING btree (company_id, to_address, id) WHERE to_address IS NOT NULL;
CREATE INDEX messages_to_address ON messages USING btree (company_id, to_address, sent_at) WHERE sent_at IS NOT NULL;

create table notes (
  company_id        bigint not null,
  id                bigint not null generated by default as identity,
  ulid              text not null,
  title             text,
  body              text not null,
  type              text not null,
  case_id           bigint,
  client_id         bigint,
  author_name       text,
  attachment_ulids  text[] not null default '{}'::text[],
  origin            text not null,
  created_at        timestamp with time zone not null default now(),
  updated_at        timestamp with time zone,
  constraint notes_pkey PRIMARY KEY (company_id, id),
  constraint notes_check CHECK ((type = 'case'::text) = (case_id IS NOT NULL) AND (type = 'client'::text) = (client_id IS NOT NULL)),
  constraint notes_type_check CHECK (type = ANY (ARRAY['case'::text, 'client'::text])),
  constraint notes_company_id_case_id_fkey FOREIGN KEY (company_id, case_id) REFERENCES cases(company_id, id),
  constraint notes_company_id_client_id_fkey FOREIGN KEY (company_id, client_id) REFERENCES clients(company_id, id),
  constraint notes_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX notes_case ON notes USING btree (company_id, case_id, id);
CREATE INDEX notes_client ON notes USING btree (company_id, client_id, id);
CREATE UNIQUE INDEX notes_ulid ON notes USING btree (company_id, ulid);

create table permission_batches (
  company_id  bigint not null,
  id          bigint not null generated by default as identity,
  ids         bigint[] not null,
  constraint permission_batches_pkey PRIMARY KEY (company_id, id),
  constraint permission_batches_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE CONSTRAINT TRIGGER permission_batches_link AFTER INSERT ON permission_batches DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION link_permissions();

create table permission_chains (
  company_id  bigint not null,
  "position"  bigint not null,
  hash        bytea not null,
  constraint permission_chains_pkey PRIMARY KEY (company_id),
  constraint permission_chains_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE TRIGGER permission_chains_keep_rows BEFORE DELETE OR TRUNCATE ON permission_chains FOR EACH STATEMENT EXECUTE FUNCTION keep_permission_links();

create table permission_links (
  company_id     bigint not null,
  "position"     bigint not null,
  permission_id  bigint not null,
  evidence_hash  bytea,
  hash           bytea not null,
  constraint permission_links_pkey PRIMARY KEY (company_id, "position"),
  constraint permission_links_company_id_permission_id_key UNIQUE (company_id, permission_id),
  constraint permission_links_hash_check CHECK (length(hash) = 32),
  constraint permission_links_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE TRIGGER permission_links_keep_rows BEFORE DELETE OR UPDATE OR TRUNCATE ON permission_links FOR EACH STATEMENT EXECUTE FUNCTION keep_permission_links();

create table permissions (
  company_id      bigint not null,
  id              bigint not null generated by default as identity,
  kind            text not null,
  channel         text not null,
  purpose         text not null,
  address_hash    bytea not null,
  address         text,
  address_ending  text,
  client_id       bigint,
  source          text not null,
  evidence        jsonb,
  obtained_at     timestamp with time zone,
  origin          text not null,
  created_at      timestamp with time zone not null default now(),
  actor           text,
  firm            text,
  wording_hash    bytea,
  form_version    text,
  evidence_nonce  uuid default gen_random_uuid(),
  constraint permissions_pkey PRIMARY KEY (company_id, id),
  constraint permissions_address_hash_check CHECK (length(address_hash) = 32),
  constraint permissions_channel_check CHECK (channel = ANY (ARRAY['call'::text, 'sms'::text, 'email'::text, 'all'::text])),
  constraint permissions_kind_check CHECK (kind = ANY (ARRAY['consent'::text, 'suppression'::text])),
  constraint permissions_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX permissions_address ON permissions USING btree (company_id, address_hash, id);
CREATE INDEX permissions_client ON permissions USING btree (company_id, client_id) WHERE client_id IS NOT NULL;
CREATE TRIGGER permissions_batch AFTER INSERT ON permissions REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION batch_permissions();
CREATE TRIGGER permissions_keep_entries BEFORE UPDATE ON permissions FOR EACH ROW EXECUTE FUNCTION keep_permissions();
CREATE TRIGGER permissions_keep_rows BEFORE DELETE OR TRUNCATE ON permissions FOR EACH STATEMENT EXECUTE FUNCTION keep_permissions();

create table rate_windows (
  company_id  bigint not null,
  api_key_id  bigint not null,
  bucket      text not null,
  started_at  timestamp with time zone not null,
  used        integer not null,
  constraint rate_windows_pkey PRIMARY KEY (company_id, api_key_id, bucket),
  constraint rate_windows_company_id_api_key_id_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys(company_id, id)
) with (fillfactor=50);

create table refusals (
  company_id   bigint not null,
  id           bigint not null generated by default as identity,
  campaign_id  bigint,
  client_id    bigint not null,
  channel      text not null,
  rules        text[] not null,
  law          text[] not null,
  retry_at     timestamp with time zone,
  decided_at   timestamp with time zone not null,
  constraint refusals_pkey PRIMARY KEY (company_id, id),
  constraint refusals_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX refusals_contact ON refusals USING btree (company_id, client_id, campaign_id, decided_at);

create table report_runs (
  company_id          bigint not null,
  id                  bigint not null generated by default as identity,
  report_schedule_id  bigint not null,
  due_at              timestamp with time zone not null,
  status              text not null,
  row_count           integer,
  error               text,
  finished_at         timestamp with time zone,
  attempted           text[] not null default '{}'::text[],
  outcomes            jsonb not null default '{}'::jsonb,
  put_off             integer not null default 0,
  retry_at            timestamp with time zone,
  constraint report_runs_pkey PRIMARY KEY (company_id, id),
  constraint report_runs_status_check CHECK (status = ANY (ARRAY['running'::text, 'sent'::text, 'failed'::text])),
  constraint report_runs_company_id_report_schedule_id_fkey FOREIGN KEY (company_id, report_schedule_id) REFERENCES report_schedules(company_id, id)
);
CREATE UNIQUE INDEX report_runs_once ON report_runs USING btree (company_id, report_schedule_id, due_at);

create table report_schedules (
  company_id      bigint not null,
  id              bigint not null generated by default as identity,
  campaign_id     bigint not null,
  name            text not null,
  run_client_ids  text[] not null default '{}'::text[],
  frequency       text not null,
  weekday         integer,
  day_of_month    integer,
  "time"          text not null,
  recipients      text[] not null,
  format          text not null default 'csv'::text,
  date_range      text not null default 'cumulative'::text,
  filters         jsonb,
  due_at          timestamp with time zone,
  created_at      timestamp with time zone not null default now(),
  constraint report_schedules_pkey PRIMARY KEY (company_id, id),
  constraint report_schedules_frequency_check CHECK (frequency = ANY (ARRAY['daily'::text, 'weekly'::text, 'monthly'::text])),
  constraint report_schedules_company_id_campaign_id_fkey FOREIGN KEY (company_id, campaign_id) REFERENCES campaigns(company_id, id)
);
CREATE INDEX report_schedules_due ON report_schedules USING btree (due_at) WHERE due_at IS NOT NULL;

create table sandbox_calls (
  company_id    bigint not null,
  call_id       bigint not null,
  to_number     text not null,
  from_number   text,
  attempt       integer not null,
  persona       text not null,
  ring_seconds  integer not null,
  max_seconds   integer not null,
  placed_at     timestamp with time zone not null,
  answered_at   timestamp with time zone,
  ended_at      timestamp with time zone,
  placed_real   timestamp with time zone not null default clock_timestamp(),
  ended_real    timestamp with time zone,
  outcome       text,
  constraint sandbox_calls_pkey PRIMARY KEY (company_id, call_id),
  constraint sandbox_calls_outcome_check CHECK (outcome = ANY (ARRAY['completed'::text, 'busy'::text, 'no_answer'::text, 'canceled'::text, 'failed'::text, 'refused'::text]))
) with (fillfactor=75);

create table sandbox_clock (
  id           integer not null,
  start        timestamp with time zone not null,
  speed        double precision not null,
  anchor_real  timestamp with time zone not null,
  anchor       timestamp with time zone not null,
  seen         timestamp with time zone not null,
  constraint sandbox_clock_pkey PRIMARY KEY (id),
  constraint sandbox_clock_id_check CHECK (id = 1)
);

create table sandbox_messages (
  company_id    bigint not null,
  key           text not null,
  channel       text not null,
  to_address    text not null,
  from_address  text,
  subject       text,
  body          text not null,
  attachments   jsonb,
  accepted_at   timestamp with time zone not null,
  status        text not null default 'accepted'::text,
  reason        text,
  error         text,
  settled_at    timestamp with time zone,
  constraint sandbox_messages_pkey PRIMARY KEY (company_id, key),
  constraint sandbox_messages_channel_check CHECK (channel = ANY (ARRAY['sms'::text, 'email'::text])),
  constraint sandbox_messages_status_check CHECK (status = ANY (ARRAY['accepted'::text, 'delivered'::text, 'failed'::text]))
) with (fillfactor=75);

create table schema_migrations (
  version     integer not null,
  name        text not null,
  checksum    text not null,
  applied_at  timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (version)
);

create table suppression_lists (
  company_id   bigint not null,
  id           bigint not null generated by default as identity,
  kind         text not null,
  as_of        date not null,
  file         text not null,
  channel      text not null,
  purpose      text not null,
  addresses    integer not null,
  imported_at  timestamp with time zone not null default now(),
  constraint suppression_lists_pkey PRIMARY KEY (company_id, id),
  constraint suppression_lists_kind_check CHECK (kind = ANY (ARRAY['national'::text, 'reassigned'::text, 'litigators'::text, 'internal'::text])),
  constraint suppression_lists_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX suppression_lists_kind ON suppression_lists USING btree (company_id, kind, as_of);

create table tasks (
  company_id     bigint not null,
  id             bigint not null generated by default as identity,
  form_id        bigint,
  "position"     integer not null default 0,
  title          text not null,
  body           text,
  response_type  text not null,
  choices        jsonb,
  created_at     timestamp with time zone not null default now(),
  updated_at     timestamp with time zone,
  retired_at     timestamp with time zone,
  constraint tasks_pkey PRIMARY KEY (company_id, id),
  constraint tasks_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint tasks_company_id_form_id_fkey FOREIGN KEY (company_id, form_id) REFERENCES forms(company_id, id)
);
CREATE INDEX tasks_form ON tasks USING btree (company_id, form_id, "position") WHERE retired_at IS NULL;

create table undeliverable (
  company_id  bigint not null,
  channel     text not null,
  address     text not null,
  reason      text not null,
  error       text,
  until       timestamp with time zone,
  noted_at    timestamp with time zone not null,
  constraint undeliverable_pkey PRIMARY KEY (company_id, channel, address),
  constraint undeliverable_channel_check CHECK (channel = ANY (ARRAY['sms'::text, 'email'::text])),
  constraint undeliverable_reason_check CHECK (reason = ANY (ARRAY['unreachable'::text, 'invalid_address'::text])),
  constraint undeliverable_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

create table users (
  company_id  bigint not null,
  id          bigint not null generated by default as identity,
  name        text not null,
  email       text not null,
  role        text not null,
  created_at  timestamp with time zone not null default now(),
  constraint users_pkey PRIMARY KEY (company_id, id),
  constraint users_role_check CHECK (role = ANY (ARRAY['admin'::text, 'user'::text])),
  constraint users_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE UNIQUE INDEX users_email ON users USING btree (company_id, lower(email));

create table webhook_attempts (
  company_id       bigint not null,
  id               bigint not null generated by default as identity,
  webhook_id       bigint not null,
  event_id         bigint not null,
  destination_url  text not null,
  triggered_by     text not null,
  attempt_number   integer not null,
  http_status      integer,
  duration_ms      integer not null,
  success          boolean not null,
  error_message    text,
  response_body    text,
  next_attempt_at  timestamp with time zone,
  created_at       timestamp with time zone not null,
  constraint webhook_attempts_pkey PRIMARY KEY (company_id, id)
);
CREATE INDEX webhook_attempts_event ON webhook_attempts USING btree (company_id, event_id);
CREATE INDEX webhook_attempts_webhook ON webhook_attempts USING btree (company_id, webhook_id, id);

create table webhook_deliveries (
  company_id       bigint not null,
  webhook_id       bigint not null,
  event_id         bigint not null,
  state            text not null default 'pending'::text,
  triggered_by     text not null default 'event'::text,
  attempts         integer not null default 0,
  next_attempt_at  timestamp with time zone not null default clock_timestamp(),
  constraint webhook_deliveries_pkey PRIMARY KEY (company_id, webhook_id, event_id),
  constraint webhook_deliveries_state_check CHECK (state = ANY (ARRAY['pending'::text, 'failed'::text, 'cancelled'::text])),
  constraint webhook_deliveries_triggered_by_check CHECK (triggered_by = ANY (ARRAY['event'::text, 'test'::text, 'replay'::text]))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=20000);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries USING btree (company_id, webhook_id, next_attempt_at, event_id) WHERE state = 'pending'::text;

create table webhooks (
  company_id            bigint not null,
  id                    bigint not null generated by default as identity,
  name                  text not null,
  url                   text not null,
  enabled               boolean not null default true,
  event_types           text[] not null default '{}'::text[],
  case_type_ids         bigint[] not null default '{}'::bigint[],
  campaign_ids          bigint[] not null default '{}'::bigint[],
  api_key_id            bigint,
  secret                bytea not null,
  retired_secrets       jsonb not null default '[]'::jsonb,
  last_delivery_status  text,
  last_http_status      integer,
  last_attempt_at       timestamp with time zone,
  failing_since         timestamp with time zone,
  hold_until            timestamp with time zone,
  node_id               text,
  leased_until          timestamp with time zone,
  created_at            timestamp with time zone not null default now(),
  updated_at            timestamp with time zone,
  deleted_at            timestamp with time zone,
  constraint webhooks_pkey PRIMARY KEY (company_id, id),
  constraint webhooks_last_delivery_status_check CHECK (last_delivery_status = ANY (ARRAY['success'::text, 'failed'::text])),
  constraint webhooks_company_id_api_key_id_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys(company_id, id),
  constraint webhooks_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
) with (fillfactor=50);
CREATE INDEX webhooks_enabled ON webhooks USING btree (company_id) WHERE enabled;

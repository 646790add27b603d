-- How the calls of a campaign ended lately: when most fail, the campaign pauses itself.
alter table campaign_stats
  add column recent_since timestamptz not null default 'epoch',
  add column recent_calls integer not null default 0,
  add column recent_failed integer not null default 0;

-- A guard against mistakes, on which nothing else rests: permissions are only added. Taking the address and the
-- evidence of an erased contact out is the one change there is.
create function keep_permissions() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.address is null and new.evidence is null and (new.client_id is null or new.client_id = old.client_id)
      and to_jsonb(new) - '{address,evidence,client_id}'::text[] = to_jsonb(old) - '{address,evidence,client_id}'::text[]
    then
      return new;
    end if;
  end if;
  raise exception 'permissions are append-only' using errcode = 'insufficient_privilege';
end
$$;
create trigger permissions_keep_entries before update on permissions for each row execute function keep_permissions();
create trigger permissions_keep_rows before delete or truncate on permissions for each statement execute function keep_permissions();

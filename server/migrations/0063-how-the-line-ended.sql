-- How the carrier says that a conversation ended which the agent did not end: `user_hangup`, `error_unknown` or
-- `max_duration_reached`. A socket that closes can't tell them apart.
alter table calls add column line_end text;

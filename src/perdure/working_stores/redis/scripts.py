"""What runs inside the server, each script as one step that nothing comes between.

A task is a hash: version, document, write, expires (milliseconds since 1970), name (JSON). The
server's own clock only sweeps: a task is absent once its `expires` is not after the caller's now.
Every key a script touches is handed to it, as a Redis Cluster demands.
"""

WRITE = """
-- KEYS task, index
-- ARGV expected, version, document, write, expires, name, now, ttl, member
local found = redis.call('HMGET', KEYS[1], 'version', 'write', 'expires')
local version = 0
if found[1] and tonumber(found[3]) > tonumber(ARGV[7]) then
  if found[2] == ARGV[4] then return 1 end
  version = tonumber(found[1])
end
if version ~= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'document', ARGV[3], 'write', ARGV[4],
           'expires', ARGV[5], 'name', ARGV[6])
redis.call('PEXPIRE', KEYS[1], ARGV[8])
redis.call('SADD', KEYS[2], ARGV[9])
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[8]) then
  redis.call('PEXPIRE', KEYS[2], ARGV[8])
end
return 1
"""

DELETE = """
-- KEYS task, index; ARGV expected (blank: any), now, member
local found = redis.call('HMGET', KEYS[1], 'version', 'expires')
if not found[1] or tonumber(found[2]) <= tonumber(ARGV[2]) then return 0 end
if ARGV[1] ~= '' and found[1] ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('SREM', KEYS[2], ARGV[3])
return 1
"""

LOAD_MANY = """
-- KEYS index, task, task, …; ARGV member, member, … ; what is gone leaves the index
local loaded = {}
for n, member in ipairs(ARGV) do
  local found = redis.call('HMGET', KEYS[n + 1], 'version', 'document', 'write', 'expires', 'name')
  if found[1] then
    loaded[#loaded + 1] = found
  else
    redis.call('SREM', KEYS[1], member)
  end
end
return loaded
"""

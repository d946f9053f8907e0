--- A small scheduler for sprinklers: zones, programs, and the weather in between.
-- @module sprinkler
local Object = require("classic")
local json = require "cjson.safe"
local log = require("sprinkler.log").child("main")
local Valve = require("sprinkler.valve")
local ok, socket = pcall(require, "socket")

local floor, max = math.floor, math.max
local unpack = table.unpack or unpack

local M = {
  _VERSION = "0.4.0",
}

--- Minutes a zone may run at most.
local MAX_MINUTES = 45
local DAYS = { "mon", "tue", "wed", "thu", "fri", "sat", "sun" }

M.defaults = {
  minutes = 10,
  skip_after_rain = true,
}

-- Rounds to whole minutes, never below one.
local function minutes(seconds)
  return max(1, floor(seconds / 60))
end

local clock = function()
  if ok then
    return socket.gettime()
  end
  return os.time()
end

--- One zone of the garden.
local Zone = Object:extend()

function Zone:new(name, pin, options)
  self.name = name
  self.valve = Valve.new(pin)
  self.options = setmetatable(options or {}, { __index = M.defaults })
  self.log = log
end

--- Waters the zone.
-- @param seconds how long
-- @return true, or nil and why not
function Zone:water(seconds)
  if minutes(seconds) > MAX_MINUTES then
    return nil, ("zone %s may not run %d s"):format(self.name, seconds)
  end
  local opened, why = self.valve:open()
  if not opened then
    self.log:warn("valve of %s: %s", self.name, why)
    return nil, why
  end
  self.started = clock()
  self.on_done = function(stopped_at)
    self:record(stopped_at - self.started)
  end
  return true
end

function Zone:record(seconds)
  self.total = (self.total or 0) + seconds
end

function Zone.__tostring(zone)
  return "zone " .. zone.name
end

--- A drip line is a zone that runs long and slow.
local Drip = Zone:extend()

function Drip:water(seconds)
  local result, why = Drip.super.water(self, seconds * 3)
  return result, why
end

-- A plain table as a class, for programs.
local Program = {}
Program.__index = Program

function Program.new(zones, days)
  local program = setmetatable({}, Program)
  program.zones = zones
  program.days = days or DAYS
  return program
end

function Program:runs_on(day)
  for _, known in ipairs(self.days) do
    if known == day then
      return true
    end
  end
  return false
end

function Program:run(weather)
  local results = {}
  for _, zone in ipairs(self.zones) do
    if weather.rained and zone.options.skip_after_rain then
      results[zone.name] = "skipped"
    else
      results[zone.name] = zone:water(zone.options.minutes * 60)
    end
  end
  return results
end

local loaders = {
  json = function(text)
    return json.decode(text)
  end,
  ["lua"] = function(text)
    local chunk = assert(load(text))
    return chunk()
  end,
}

--- Reads programs from a file; its extension says how it is written.
function M.load(path)
  local file = assert(io.open(path))
  local text = file:read("*a")
  file:close()
  local loader = loaders[path:match("%.(%w+)$")]
  local programs = {}
  for at, described in ipairs(loader(text)) do
    local zones = M.zones(unpack(described.zones))
    programs[at] = Program.new(zones, described.days)
  end
  return programs
end

function M.zones(...)
  local zones = {}
  for at, described in ipairs({ ... }) do
    local class = described.drip and Drip or Zone
    zones[at] = class(described.name, described.pin, described)
  end
  return zones
end

M.run = function(path, day)
  local weather = require("sprinkler.weather").today()
  for _, program in ipairs(M.load(path)) do
    if program:runs_on(day) then
      program:run(weather)
    end
  end
end

M.Zone, M.Drip, M.Program = Zone, Drip, Program

return M

#!/usr/bin/env lua
local json = require("cjson")
local insert, remove = table.insert, table.remove
--    ^^^^^^ constant insert
--            ^^^^^^ constant remove
local ok, lfs = pcall(require, "lfs")

local M = {}
--    ^ constant M
local LIMIT <const> = 10
--    ^^^^^ constant LIMIT
local forward
COUNT = 0
-- <- constant COUNT
M.VERSION = "1.0"
--^^^^^^^ constant M.VERSION
M.__index = M

local function helper(a, b)
--             ^^^^^^ function helper
  local inner = function(x) return x + a end
--      ^^^^^ function helper.inner
  return inner(b)
end

function M.open(path, ...)
--         ^^^^ method M.open
  return helper(path, ...)
end

function M:close()
--         ^^^^^ method M.close
  self.done = function(code) return code end
--     ^^^^ method M.close.done
end

function M.nested.deep.call() end
--                     ^^^^ method M.nested.deep.call

function global(a) return a end
--       ^^^^^^ function global

local square = function(x) return x * x end
--    ^^^^^^ function square
forward = function() return 1 end
-- <- function forward
M.callback = function(event)
--^^^^^^^^ method M.callback
  return event
end
M.empty = function() end
--^^^^^ method M.empty
M["quoted"] = function(x) return x end
-- ^^^^^^ method M.quoted

local Account = class("Account")
--    ^^^^^^^ class Account
local Savings = class("Savings", Account)
--    ^^^^^^^ class Savings
local Point = Object:extend()
--    ^^^^^ class Point
M.Window = Class { base = Account }
--^^^^^^ class M.Window
local Base = setmetatable({}, { __index = Account })
--    ^^^^ class Base

function Account:init(balance)
--               ^^^^ method Account.init
  self.balance = balance
end

local handlers = {
--    ^^^^^^^^ constant handlers
  limit = 3,
  start = function(self) return self end,
--^^^^^ function handlers.start
  stop = function() end,
--^^^^ function handlers.stop
  ["re-start"] = function() return 1 end,
--  ^^^^^^^^ function handlers.re-start
  sub = { reset = function(x) return x end },
--        ^^^^^ function handlers.reset
}

do
  local function scoped() return 2 end
--               ^^^^^^ function scoped
  local value = 3
end

return M

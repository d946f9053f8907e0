# frozen_string_literal: true

require "set"
require_relative "../config"

VERSION = "1.2"
# <- constant VERSION
FIRST, SECOND = 1, 2
# <- constant FIRST
#      ^^^^^^ constant SECOND
CACHE ||= {}
# <- constant CACHE
lower = 3

module Billing
#      ^^^^^^^ module Billing
  module Rounding; end
#        ^^^^^^^^ module Billing.Rounding

  Point = Struct.new(:x, :y)
# ^^^^^ struct Billing.Point
#                     ^ field Billing.Point.x
#                         ^ field Billing.Point.y
  Pair = Data.define(:left, :right) do
# ^^^^ struct Billing.Pair
#                     ^^^^ field Billing.Pair.left
#                            ^^^^^ field Billing.Pair.right
    def swap = with(left: right, right: left)
#       ^^^^ method Billing.Pair.swap
  end
  Failure = Class.new(StandardError)
# ^^^^^^^ class Billing.Failure
  Missing = Class.new(Failure) do
# ^^^^^^^ class Billing.Missing
    def message = "missing"
#       ^^^^^^^ method Billing.Missing.message
  end

  class Invoice < Base::Record
#       ^^^^^^^ class Billing.Invoice
    include Comparable

    LIMIT = 10
#   ^^^^^ constant Billing.Invoice.LIMIT
    attr_reader :number, :lines
#                ^^^^^^ field Billing.Invoice.number
#                         ^^^^^ field Billing.Invoice.lines
    attr_accessor :note
#                  ^^^^ field Billing.Invoice.note
    private attr_writer :secret
#                        ^^^^^^ field Billing.Invoice.secret
    belongs_to :customer
#               ^^^^^^^^ field Billing.Invoice.customer
    has_many :payments, dependent: :destroy
#             ^^^^^^^^ field Billing.Invoice.payments
    scope :open, -> { where(paid: false) }
#          ^^^^ method Billing.Invoice.open
    delegate :name, to: :customer
#             ^^^^ method Billing.Invoice.name
    alias_method :items, :lines
#                 ^^^^^ method Billing.Invoice.items
    alias rows lines
#         ^^^^ method Billing.Invoice.rows

    def initialize(number, lines: [], &block)
#       ^^^^^^^^^^ method Billing.Invoice.initialize
      @number = number
      INNER = 3
    end

    def self.build(...) = new(...)
#            ^^^^^ method Billing.Invoice.build

    class << self
      def default; end
#         ^^^^^^^ method Billing.Invoice.default

      private

      def hidden(a) = a
#         ^^^^^^ method Billing.Invoice.hidden
    end

    def ==(other)
#       ^^ method Billing.Invoice.==
      number == other.number
    end

    def [](at) = lines[at]
#       ^^ method Billing.Invoice.[]
    def number=(value); @number = value; end
#       ^^^^^^^ method Billing.Invoice.number=
    def paid?() true end
#       ^^^^^ method Billing.Invoice.paid?
    def pay! = nil
#       ^^^^ method Billing.Invoice.pay!
    def empty
#       ^^^^^ method Billing.Invoice.empty
    end

    private def total(rate = 1.0)
#               ^^^^^ method Billing.Invoice.total
      lines.sum { |line| line.price * rate }
    end

    private_class_method def self.secret
#                                 ^^^^^^ method Billing.Invoice.secret~6f66
      1
    end

    define_method(:dynamic) { |a| a }
#                  ^^^^^^^ method Billing.Invoice.dynamic

    class Line; end
#         ^^^^ class Billing.Invoice.Line
  end

  class Invoice::Draft < Invoice
#                ^^^^^ class Billing.Invoice.Draft
    def draft? = true
#       ^^^^^^ method Billing.Invoice.Draft.draft?
  end

end

class Billing::Report
#              ^^^^^^ class Billing.Report
  def run
#     ^^^ method Billing.Report.run
    def nested = 1
#       ^^^^^^ method Billing.Report.run.nested
    helper = ->(x) { x }
  end
end

def Report.other = 1
#          ^^^^^ method Report.other

def top_level(a, b = 1)
#   ^^^^^^^^^ function top_level
  puts a, b
end

def empty; end
#   ^^^^^ function empty

namespace :db do
#          ^^ module db
  desc "Load"
  task :load, [:path] => :environment do |_, args|
#       ^^^^ function db.load
    load_from args[:path]
  end

  task migrate: :load do
#      ^^^^^^^ function db.migrate
  end

  task "seed" do
#       ^^^^ function db.seed
  end
end

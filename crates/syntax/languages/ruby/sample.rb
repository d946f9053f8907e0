# frozen_string_literal: true

require "json"
require "net/http"
require_relative "tide/station"
require_relative "tide/clock"

# Reads tide gauges, keeps what they say and warns when the water is high.
module Tide
  autoload :Chart, "tide/chart"

  DEFAULT_INTERVAL = 300
  UNITS = { metre: 1.0, foot: 0.3048 }.freeze

  # Raised when a gauge answers something that is no reading.
  class GaugeError < StandardError
    attr_reader :station

    def initialize(station, message = "no reading")
      @station = station
      super("#{station.name}: #{message}")
    end
  end

  Timeout = Class.new(GaugeError)

  # One reading of one gauge.
  Reading = Struct.new(:station, :level, :taken_at) do
    include Comparable

    def <=>(other)
      level <=> other.level
    end

    # The level in another unit.
    def in_unit(unit)
      level / UNITS.fetch(unit)
    end
  end

  # What all sources of readings share.
  module Source
    def self.included(base)
      base.extend(ClassMethods)
    end

    module ClassMethods
      def sources
        @sources ||= []
      end
    end

    def each_reading
      return enum_for(:each_reading) unless block_given?

      fetch.each { |row| yield parse(row) }
    end

    private

    def parse(row)
      level = Float(row.fetch("level"))
      Reading.new(station, level, clock.now)
    rescue KeyError, ArgumentError => error
      raise GaugeError.new(station, error.message)
    end
  end

  # Asks a gauge over HTTP.
  class Gauge
    include Source
    include Tide::Logging

    attr_reader :station, :clock
    attr_accessor :retries

    def initialize(station, clock: Clock.new, client: nil)
      @station = station
      @clock = clock
      @client = client || Net::HTTP.new(station.host, station.port)
      @retries = 3
    end

    def self.for(name)
      new(Station.find(name))
    end

    class << self
      # Gauges are cached by the name of their station.
      def [](name)
        cache[name] ||= self.for(name)
      end

      private

      def cache
        @cache ||= {}
      end
    end

    def fetch
      attempts = 0
      begin
        attempts += 1
        response = @client.get(path)
        JSON.parse(response.body)
      rescue Net::ReadTimeout
        retry if attempts < retries
        raise Timeout, station
      end
    end

    def path = "/gauges/#{station.id}"

    private def log_line(reading)
      logger.info format("%s %.2f", station.name, reading.level)
    end
  end

  # Watches gauges until it is told to stop.
  class Watcher < Worker::Base
    extend Forwardable

    def_delegators :@gauges, :each, :size

    def initialize(gauges, threshold:, notifier: Notifier.new)
      super()
      @gauges = gauges
      @threshold = threshold
      @notifier = notifier
      @stopped = false
    end

    def run(interval = DEFAULT_INTERVAL)
      until stopped?
        check_all
        sleep interval
      end
    end

    def stop! = @stopped = true
    def stopped? = @stopped

    protected

    attr_reader :threshold

    private

    def check_all
      readings = @gauges.flat_map { |gauge| gauge.each_reading.to_a }
      highest = readings.max
      warn_about(highest) if highest && highest.level > threshold
    end

    def warn_about(reading)
      message = case reading
                when Reading then "high water at #{reading.station.name}"
                else "high water"
                end
      @notifier.send_all(message)
    end
  end
end

def main(arguments)
  gauges = arguments.map { |name| Tide::Gauge[name] }
  watcher = Tide::Watcher.new(gauges, threshold: 4.2)
  trap("INT") { watcher.stop! }
  watcher.run
end

main(ARGV) if $PROGRAM_NAME == __FILE__

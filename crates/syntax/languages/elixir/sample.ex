defmodule Harbor.Berth do
  @moduledoc """
  A place where one ship can lie.

  Berths are values; who lies where is kept by `Harbor.Dock`.
  """

  alias Harbor.{Ship, Tide}

  @enforce_keys [:number, :length]
  defstruct [:number, :length, :ship, depth: 8.5]

  @type t :: %__MODULE__{
          number: pos_integer(),
          length: float(),
          ship: Ship.t() | nil,
          depth: float()
        }

  @doc "Whether a ship fits, at the water of now."
  @spec fits?(t(), Ship.t()) :: boolean()
  def fits?(%__MODULE__{ship: nil} = berth, %Ship{} = ship) do
    ship.length <= berth.length and ship.draught <= depth_now(berth)
  end

  def fits?(_berth, _ship), do: false

  defp depth_now(%{depth: depth}), do: depth + Tide.level(DateTime.utc_now())
end

defmodule Harbor.Dock do
  @moduledoc ~S"""
  Gives berths to ships.
  """

  use GenServer, restart: :transient

  import Harbor.Guards, only: [is_ship: 1, is_name: 1]
  require Logger
  alias Harbor.Berth
  alias Harbor.Ledger.Postgres, as: Ledger

  @behaviour Harbor.Registry

  @timeout 5_000
  @default_berths for number <- 1..4, do: %Berth{number: number, length: 100.0}

  @typedoc "How a dock is started."
  @type option :: {:name, GenServer.name()} | {:berths, [Berth.t()]}

  @callback assigned(Berth.t(), Harbor.Ship.t()) :: :ok | {:error, term()}

  # Client

  @doc """
  Starts a dock.

  Without berths it gets #{length(@default_berths)} ordinary ones.
  """
  @spec start_link([option()]) :: GenServer.on_start()
  def start_link(options \\ []) do
    {name, options} = Keyword.pop(options, :name, __MODULE__)
    GenServer.start_link(__MODULE__, options, name: name)
  end

  @doc "Asks for a berth."
  def moor(dock \\ __MODULE__, ship) when is_ship(ship) do
    GenServer.call(dock, {:moor, ship}, @timeout)
  end

  def leave(dock, name) when is_name(name), do: GenServer.cast(dock, {:leave, name})

  defdelegate report(dock), to: Harbor.Reports, as: :for_dock

  # Server

  @impl GenServer
  def init(options) do
    berths = Keyword.get(options, :berths, @default_berths)
    {:ok, %{berths: berths, waiting: :queue.new()}, {:continue, :load}}
  end

  @impl GenServer
  def handle_continue(:load, state) do
    {:noreply, %{state | berths: Enum.map(state.berths, &restore/1)}}
  end

  @impl GenServer
  def handle_call({:moor, ship}, _from, state) do
    case Enum.split_while(state.berths, &(not Berth.fits?(&1, ship))) do
      {before, [berth | rest]} ->
        taken = %Berth{berth | ship: ship}
        :ok = Ledger.write(taken)
        {:reply, {:ok, taken}, %{state | berths: before ++ [taken | rest]}}

      {_, []} ->
        {:reply, :full, enqueue(state, ship)}
    end
  end

  def handle_call(:berths, _from, state), do: {:reply, state.berths, state}

  @impl GenServer
  def handle_cast({:leave, name}, state) do
    berths =
      state.berths
      |> Enum.map(fn
        %Berth{ship: %{name: ^name}} = berth -> clear(berth)
        berth -> berth
      end)
      |> tap(&log_free/1)

    {:noreply, %{state | berths: berths}}
  end

  defp enqueue(state, ship), do: update_in(state.waiting, &:queue.in(ship, &1))

  defp clear(berth) do
    Ledger.erase(berth.number)
    %{berth | ship: nil}
  end

  defp restore(berth), do: with({:ok, ship} <- Ledger.read(berth.number), do: %{berth | ship: ship})

  defp log_free(berths) do
    free = Enum.count(berths, &is_nil(&1.ship))
    Logger.info("#{free} berths are free")
  end
end

defprotocol Harbor.Describe do
  @moduledoc "What a thing is called in reports."

  @doc "One line."
  @fallback_to_any true
  def line(thing)
end

defimpl Harbor.Describe, for: Harbor.Berth do
  alias Harbor.Text

  def line(%{number: number, ship: nil}), do: "#{number}: free"
  def line(%{number: number, ship: ship}), do: "#{number}: #{Text.shorten(ship.name)}"
end

defmodule Harbor.Guards do
  @moduledoc false

  defguard is_name(term) when is_binary(term) and byte_size(term) > 0
  defguard is_ship(term) when is_struct(term, Harbor.Ship)

  defmacro assert_moored(ship) do
    quote do
      assert unquote(ship).berth, "not moored"
    end
  end
end

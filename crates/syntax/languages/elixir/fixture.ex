defmodule Shop.Cart do
#         ^^^^^^^^^ module Shop.Cart
  @moduledoc "A cart."

  use GenServer, restart: :temporary
  alias Shop.{Item, Price}
  import Ecto.Query, only: [from: 2]
  @behaviour Shop.Store

  @timeout 5_000
#  ^^^^^^^ constant Shop.Cart.timeout
  @derive {Jason.Encoder, only: [:items]}
  @enforce_keys [:id]
  defstruct [:id, items: [], total: 0]
#             ^^ field Shop.Cart.id
#                 ^^^^^ field Shop.Cart.items
#                            ^^^^^ field Shop.Cart.total

  @type t :: %__MODULE__{id: integer}
#       ^ type Shop.Cart.t
  @typep result(a) :: {:ok, a} | :error
#        ^^^^^^ type Shop.Cart.result
  @opaque token :: binary
#         ^^^^^ type Shop.Cart.token
  @callback load(id :: integer) :: {:ok, t} | :error
#           ^^^^ method Shop.Cart.load

  @doc "Adds."
  @spec add(t, Item.t()) :: t
  def add(cart, item)
#     ^^^ function Shop.Cart.add

  def add(%__MODULE__{} = cart, %Item{price: nil}), do: cart

  def add(cart, item) when is_map(item) do
    inner = fn x -> x end
    %{cart | items: [item | cart.items]} |> recount(inner)
  end

  def add(cart, item, count), do: Enum.reduce(1..count, cart, fn _, c -> add(c, item) end)
#     ^^^ function Shop.Cart.add~d987

  def empty, do: %__MODULE__{id: 1}
#     ^^^^^ function Shop.Cart.empty
  def empty?(cart), do: cart.items == []
#     ^^^^^^ function Shop.Cart.empty?

  def clear! do
#     ^^^^^^ function Shop.Cart.clear!
    @timeout
  end

  defp recount(cart, _) when cart == nil do
#      ^^^^^^^ function Shop.Cart.recount
    cart
  end

  def left <~> right, do: {left, right}
#          ^^^ function Shop.Cart.<~>
  def unquote(:generated)(x), do: x
  defdelegate fetch(cart, key), to: Map
#             ^^^^^ function Shop.Cart.fetch

  defmacro debug(x) do
#          ^^^^^ macro Shop.Cart.debug
    quote do: IO.inspect(unquote(x))
  end

  defmacrop private_macro(x), do: x
#           ^^^^^^^^^^^^^ macro Shop.Cart.private_macro
  defguard is_small(x) when x < 3
#          ^^^^^^^^ macro Shop.Cart.is_small
  defguardp is_tiny(x) when x < 1
#           ^^^^^^^ macro Shop.Cart.is_tiny

  @impl GenServer
  def handle_call(:get, _from, state), do: {:reply, state, state}
#     ^^^^^^^^^^^ function Shop.Cart.handle_call
  def handle_call({:put, x}, _from, _), do: {:reply, :ok, x}

  @impl true
  def handle_cast(_, state), do: {:noreply, state}
#     ^^^^^^^^^^^ function Shop.Cart.handle_cast

  defmodule Inner do
#           ^^^^^ module Shop.Cart.Inner
    def deep(x), do: x
#       ^^^^ function Shop.Cart.Inner.deep
  end

  defmodule __MODULE__.Outer do
#                      ^^^^^ module Shop.Cart.Outer
    schema "outers" do
      field :name, :string
#            ^^^^ field Shop.Cart.Outer.name
      belongs_to :cart, Shop.Cart
#                 ^^^^ field Shop.Cart.Outer.cart
      has_many(:items, Shop.Item)
#               ^^^^^ field Shop.Cart.Outer.items
    end
  end
end

defmodule Shop.Error do
#         ^^^^^^^^^^ module Shop.Error
  defexception message: "failed", code: 1
#              ^^^^^^^ field Shop.Error.message
#                                 ^^^^ field Shop.Error.code
end

defprotocol Shop.Size do
#           ^^^^^^^^^ interface Shop.Size
  @doc "How many."
  def size(thing)
#     ^^^^ method Shop.Size.size
end

defimpl Shop.Size, for: Shop.Cart do
  def size(cart), do: length(cart.items)
#     ^^^^ method <Shop.Cart as Shop.Size>.size
end

defimpl Shop.Size, for: [List, Map] do
  def size(thing), do: Enum.count(thing)
#     ^^^^ method <List as Shop.Size>.size
end

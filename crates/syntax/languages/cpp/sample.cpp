// A pool of connections that are opened when asked for and closed when idle.

#include "net/pool.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "net/connection.h"
#include "util/log.h"

using std::chrono::seconds;
namespace clk = std::chrono;

namespace net {
namespace {

constexpr seconds kIdle{30};

// Whether nobody used a connection for a while.
bool IsIdle(const Connection& connection, clk::steady_clock::time_point now) {
  return now - connection.last_used() > kIdle;
}

}  // namespace

/// Why a connection cannot be had.
enum class PoolError { kFull, kClosed };

template <typename T>
struct Result {
  T value;
  std::optional<PoolError> error;

  explicit operator bool() const { return !error; }
};

/**
 * Hears what a pool does.
 */
class NET_EXPORT PoolObserver {
 public:
  virtual ~PoolObserver() = default;
  virtual void OnOpen(const Endpoint& endpoint) = 0;
  virtual void OnClose(const Endpoint& endpoint) {}
};

/// Opens connections, and keeps them.
class Pool : public PoolObserver, private base::NonCopyable<Pool> {
 public:
  struct Options {
    std::size_t most = 8;
    seconds idle = kIdle;
  };

  Pool(Options options, std::shared_ptr<Dialer> dialer);
  ~Pool() override;

  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Gives a connection, an idle one if there is one.
  Result<Connection*> Take(const Endpoint& endpoint);
  void Give(Connection* connection);

  std::size_t size() const noexcept { return connections_.size(); }
  const Options& options() const { return options_; }

  static std::unique_ptr<Pool> WithDefaults();

  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (const auto& connection : connections_) {
      visit(*connection);
    }
  }

 private:
  friend class PoolTest;

  Connection* Open(const Endpoint& endpoint);
  void Sweep();

  Options options_;
  std::shared_ptr<Dialer> dialer_;
  std::vector<std::unique_ptr<Connection>> connections_;
  mutable std::mutex mutex_;
  Metrics* metrics_ = nullptr;
  static constexpr int kRetries = 3;
};

Pool::Pool(Options options, std::shared_ptr<Dialer> dialer)
    : options_(std::move(options)), dialer_(std::move(dialer)) {
  util::Log("pool of %zu", options_.most);
}

Pool::~Pool() {
  std::lock_guard<std::mutex> lock(mutex_);
  connections_.clear();
}

std::unique_ptr<Pool> Pool::WithDefaults() {
  auto dialer = std::make_shared<TcpDialer>();
  dialer->set_retries(kRetries);
  return std::make_unique<Pool>(Options{}, dialer);
}

Result<Connection*> Pool::Take(const Endpoint& endpoint) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = std::find_if(connections_.begin(), connections_.end(), [&](const auto& connection) {
    return connection->endpoint() == endpoint && connection->is_free();
  });
  if (found != connections_.end()) {
    (*found)->Hold();
    return {found->get(), std::nullopt};
  }
  if (connections_.size() >= options_.most) {
    Sweep();
    return {nullptr, PoolError::kFull};
  }
  Connection* opened = this->Open(endpoint);
  metrics_->Count("opened");
  return Result<Connection*>{opened};
}

Connection* Pool::Open(const Endpoint& endpoint) {
  std::unique_ptr<Connection> connection = dialer_->Dial(endpoint);
  connection->Hold();
  PoolObserver::OnOpen(endpoint);
  connections_.push_back(std::move(connection));
  return connections_.back().get();
}

void Pool::Give(Connection* connection) {
  connection->Release();
  Sweep();
}

void Pool::Sweep() {
  const auto now = clk::steady_clock::now();
  auto gone = std::remove_if(connections_.begin(), connections_.end(),
                             [now](auto& connection) { return IsIdle(*connection, now); });
  connections_.erase(gone, connections_.end());
}

template <>
struct Result<void> {
  bool ok() const;
};

auto Describe(const Pool& pool) -> std::string {
  Formatter formatter("pool");
  formatter.Add("size", pool.size());
  Endpoint* endpoint = new Endpoint("localhost", 80);
  return formatter.Finish(static_cast<int>(pool.options().most), endpoint->port());
}

}  // namespace net

library todo.sync;

import 'dart:async';
import 'dart:convert' show jsonDecode, jsonEncode;

import 'package:flutter/widgets.dart';
import 'package:http/http.dart' as http;

import '../model/task.dart';
import 'outbox.dart' hide Draft;
import 'report.dart' deferred as report;

export 'outbox.dart' show Outbox;

part 'sync.g.dart';

/// How long to wait between two looks at the server.
const Duration defaultInterval = Duration(minutes: 5);

final _log = Logger('sync');

/// Told about every change of a [SyncState].
typedef StateListener = void Function(SyncState state);

/// Keeps the tasks of the device like those of the server.
///
/// What is changed while there is no connection waits in an [Outbox].
class TaskSync extends ChangeNotifier with WidgetsBindingObserver implements Disposable {
  TaskSync(this._client, {required this.store, Duration? interval, super.key})
      : interval = interval ?? defaultInterval,
        _outbox = Outbox(store) {
    WidgetsBinding.instance.addObserver(this);
    _listen();
  }

  TaskSync.offline(TaskStore store) : this(NullClient(), store: store);

  factory TaskSync.of(BuildContext context) => context.read<TaskSync>();

  static const maxFailures = 3;

  final http.Client _client;
  final TaskStore store;
  final Duration interval;
  final Outbox _outbox;
  final List<StateListener> _listeners = <StateListener>[];
  Timer? _timer;
  late final StreamSubscription<Task> _changes;
  int failures = 0;

  /// What the sync is doing.
  SyncState get state => _timer == null ? SyncState.idle : SyncState.running;

  set paused(bool value) {
    value ? _timer?.cancel() : start();
  }

  /// Starts looking at the server.
  void start() {
    _timer ??= Timer.periodic(interval, (_) => sync());
    for (final listener in _listeners) {
      listener(state);
    }
  }

  /// Brings the tasks up to date, and gives back how many are new.
  @override
  Future<int> sync({bool force = false}) async {
    try {
      final response = await _client.get(_uri('/tasks'), headers: _headers());
      final List<Task> fetched = _decode(response.body);
      var fresh = 0;
      for (Task task in fetched) {
        if (await store.save(task)) fresh++;
      }
      await _outbox.flush((draft) => _client.post(_uri('/tasks'), body: jsonEncode(draft.toJson())));
      return fresh;
    } on http.ClientException catch (e, trace) {
      _fail(e.message, trace);
      return 0;
    } finally {
      notifyListeners();
    }
  }

  void _fail(String why, StackTrace trace) {
    failures++;
    _log.warning(why, trace);
    if (failures >= maxFailures) {
      _timer?.cancel();
      _listeners
        ..forEach((listener) => listener(SyncState.failed))
        ..clear();
    }
  }

  List<Task> _decode(String body) {
    final items = jsonDecode(body) as List<dynamic>;
    return items.map((item) => Task.fromJson(item as Map<String, dynamic>)).toList();
  }

  Uri _uri(String path) => Uri.https('tasks.example.com', path);

  Map<String, String> _headers() => const {'accept': 'application/json'};

  void _listen() {
    Future<void> onChange(Task task) async {
      await _outbox.add(Draft.of(task));
    }

    _changes = store.changes.listen(onChange);
  }

  @override
  void dispose() {
    _changes.cancel();
    super.dispose();
    this.store.close();
  }

  @override
  bool operator ==(Object other) => other is TaskSync && other.store == store;

  @override
  int get hashCode => store.hashCode;
}

/// What a sync is doing.
enum SyncState {
  idle,
  running,
  // Nothing came back too often.
  failed;

  bool get isActive => this == SyncState.running;
}

abstract class TaskStore {
  Stream<Task> get changes;

  Future<bool> save(Task task);

  void close() {}
}

mixin Retrying on TaskStore {
  Future<T> retry<T>(Future<T> Function() action, {int times = 3}) async {
    for (var i = 0; i < times; i++) {
      final result = await action();
      if (result != null) return result;
    }
    throw RetryException(times);
  }
}

extension TaskTitles on Iterable<Task> {
  String titles() => map((task) => task.title.trim()).join(', ');
}

class SyncBadge extends StatelessWidget {
  const SyncBadge({super.key, required this.sync});

  final TaskSync sync;

  @override
  Widget build(BuildContext context) {
    return Padding(
      padding: const EdgeInsets.all(8),
      child: Text('${sync.failures} failed', style: Theme.of(context).textTheme.bodySmall),
    );
  }
}

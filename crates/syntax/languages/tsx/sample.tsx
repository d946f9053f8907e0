import { createContext, useContext, useEffect, useMemo, useReducer, type ReactNode } from "react";

interface Task {
  id: number;
  title: string;
  done: boolean;
}

type Action =
  | { type: "add"; title: string }
  | { type: "toggle"; id: number }
  | { type: "clear" };

const STORAGE_KEY = "tasks";

/** The reducer is pure; storage is an effect of its own. */
export function reduce(tasks: Task[], action: Action): Task[] {
  switch (action.type) {
    case "add":
      return [...tasks, { id: tasks.length + 1, title: action.title, done: false }];
    case "toggle":
      return tasks.map((task) => (task.id === action.id ? { ...task, done: !task.done } : task));
    case "clear":
      return tasks.filter((task) => !task.done);
  }
}

const TasksContext = createContext<{ tasks: Task[]; dispatch: (action: Action) => void } | null>(null);

export function TasksProvider({ children }: { children: ReactNode }) {
  const [tasks, dispatch] = useReducer(reduce, [], restore);

  useEffect(() => {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(tasks));
  }, [tasks]);

  const value = useMemo(() => ({ tasks, dispatch }), [tasks]);
  return <TasksContext.Provider value={value}>{children}</TasksContext.Provider>;
}

function restore(): Task[] {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
  } catch {
    return [];
  }
}

export const useTasks = () => {
  const context = useContext(TasksContext);
  if (!context) throw new Error("useTasks needs a TasksProvider above it");
  return context;
};

const TaskRow = ({ task }: { task: Task }) => {
  const { dispatch } = useTasks();
  const onToggle = () => dispatch({ type: "toggle", id: task.id });
  return (
    <li className={task.done ? "done" : undefined}>
      <label>
        <input type="checkbox" checked={task.done} onChange={onToggle} />
        {task.title}
      </label>
    </li>
  );
};

/**
 * The whole page.
 */
export default function TaskPage() {
  const { tasks, dispatch } = useTasks();
  const open = tasks.filter((task) => !task.done).length;

  function submit(event: React.FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const field = event.currentTarget.elements.namedItem("title") as HTMLInputElement;
    dispatch({ type: "add", title: field.value });
    field.value = "";
  }

  return (
    <main>
      <h1>
        Tasks <small>{open} open</small>
      </h1>
      <form onSubmit={submit}>
        <input name="title" required placeholder="What is to be done?" />
        <button type="submit">Add</button>
      </form>
      <ul>
        {tasks.map((task) => (
          <TaskRow key={task.id} task={task} />
        ))}
      </ul>
      {tasks.some((task) => task.done) && (
        <button onClick={() => dispatch({ type: "clear" })}>Clear what is done</button>
      )}
    </main>
  );
}

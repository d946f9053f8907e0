import { Base } from "./base";

export const LIMIT: number = 3;
//           ^^^^^ constant LIMIT
const table: Record<string, number> = { one: 1 };
//    ^^^^^ constant table
declare const VERSION: string;
//            ^^^^^^^ constant VERSION

/** A name. */
export type Name = string;
//          ^^^^ type Name
type Props = {
//   ^^^^^ type Props
  label: string;
  render(): void;
//^^^^^^ method Props.render
};

export interface Greeter<T> extends Other {
//               ^^^^^^^ interface Greeter
  name: T;
  greet(name: string): void;
//^^^^^ method Greeter.greet
  (call: number): string;
}

export enum Role {
//          ^^^^ enum Role
  Admin = "admin",
}
const enum Flag { On = 1 }
//         ^^^^ enum Flag

export abstract class Session<T> extends Base implements Greeter<T> {
//                    ^^^^^^^ class Session
  private count = 0;
  constructor(public name: T) { super(); }
//^^^^^^^^^^^ method Session.constructor
  @logged()
  async login(user: string): Promise<void> {}
//      ^^^^^ method Session.login
  abstract close(): void;
//         ^^^^^ method Session.close
  find(id: string): T;
//^^^^ method Session.find
  find(id: number): T;
//^^^^ method Session.find~d360
  find(id: unknown): T { return this.name; }
//^^^^ method Session.find~4c81
  static readonly make = <U>(value: U): U => value;
//                ^^^^ method Session.make
}

@Component({ selector: "app-root" })
export class AppComponent {
//           ^^^^^^^^^^^^ class AppComponent
  title = "app";
}

export function parse(text: string): string;
//              ^^^^^ function parse
export function parse(text: unknown): unknown { return text; }
//              ^^^^^ function parse~d062

export const identity = <T,>(value: T): T => value;
//           ^^^^^^^^ function identity

export namespace Shapes {
//               ^^^^^^ module Shapes
  export interface Shape { area(): number }
//                 ^^^^^ interface Shapes.Shape
//                         ^^^^ method Shapes.Shape.area
  export function unit(): Shape { return { area: () => 1 }; }
//                ^^^^ function Shapes.unit
//                                         ^^^^ method Shapes.unit.area
}

declare module "plugin" {
//              ^^^^^^ module plugin
  export function install(): void;
//                ^^^^^^^ function plugin.install
}

declare function ambient(code: number): never;
//               ^^^^^^^ function ambient
declare global {
  interface Window { app: Session<string> }
//          ^^^^^^ interface Window
}

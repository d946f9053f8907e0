<?php

declare(strict_types=1);

namespace Example\Fixtures;

use Example\Base;

const LIMIT = 3, OTHER = 4;
//    ^^^^^ constant LIMIT
//               ^^^^^ constant OTHER
define('OLD', 1);
//      ^^^ constant OLD

/** Says what it says. */
#[Marker]
abstract class Server extends Base implements Runner, \Other\Named
//             ^^^^^^ class Server
{
    use Logs;

    public const MAX = 4;
//               ^^^ constant Server.MAX
    private const A = 1, B = 2;
//                ^ constant Server.A
//                       ^ constant Server.B
    private ?Clock $clock;
    protected static int $count = 0;
//                        ^^^^^ field Server.count
    public array $first = [], $second;
//                ^^^^^ field Server.first
//                             ^^^^^^ field Server.second
    var $old;
//       ^^^ field Server.old

    public function __construct(private readonly Repo $repo, int $port = 80)
//                  ^^^^^^^^^^^ method Server.__construct
    {
        parent::__construct($port);
    }

    #[Override]
    final public static function make(string ...$steps): static
//                               ^^^^ method Server.make
    {
        $made = new class extends Base {
            public function run(): void {}
//                          ^^^ method Server.make.run
        };
        return new static($made);
    }

    abstract protected function later(): ?int;
//                              ^^^^^ method Server.later
}

interface Runner extends Countable
//        ^^^^^^ interface Runner
{
    public const STEPS = 1;
//               ^^^^^ constant Runner.STEPS
    public function start(): void;
//                  ^^^^^ method Runner.start
}

trait Logs
//    ^^^^ trait Logs
{
    public function log(string $line): void {}
//                  ^^^ method Logs.log
}

enum Kind: string implements Labelled
//   ^^^^ enum Kind
{
    case First = 'f';
//       ^^^^^ constant Kind.First
    case Second = 's';
//       ^^^^^^ constant Kind.Second

    public function label(): string { return $this->name; }
//                  ^^^^^ method Kind.label
}

function main(array $arguments): int
//       ^^^^ function main
{
    function inside() {}
//           ^^^^^^ function main.inside
    return 0;
}

if (!function_exists('helper')) {
    function helper(&$value) {}
//           ^^^^^^ function helper
}

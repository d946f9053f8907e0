// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./A.sol";
import {IERC20, SafeMath as SM} from "../token/IERC20.sol";

uint256 constant MAX = 3;
//               ^^^ constant MAX
error TopError(uint256 code);
//    ^^^^^^^^ struct TopError
type Price is uint128;
//   ^^^^^ type Price
using SafeMath for uint256;

function free(uint256 x) pure returns (uint256) { return x; }
//       ^^^^ function free
struct Top { uint256 a; }
//     ^^^ struct Top
enum Kind { A, B }
//   ^^^^ enum Kind

interface IThing is IBase {
//        ^^^^^^ interface IThing
    event Happened(address indexed who);
    //    ^^^^^^^^ struct IThing.Happened
    function go(uint256 a) external returns (bool);
    //       ^^ method IThing.go
}

library Maths {
//      ^^^^^ module Maths
    function twice(uint256 a) internal pure returns (uint256) { return a * 2; }
    //       ^^^^^ function Maths.twice
}

abstract contract Token is ERC20, Ownable(msg.sender) {
//                ^^^^^ class Token
    using SafeERC20 for IERC20;
    struct Lock { uint256 until; IERC20 token; }
    //     ^^^^ struct Token.Lock
    enum State { Open, Closed }
    //   ^^^^^ enum Token.State
    uint256 public constant FEE = 3;
    //                      ^^^ constant Token.FEE
    mapping(address => uint256) private balances;
    //                                  ^^^^^^^^ field Token.balances
    IERC20 public immutable token;
    //                      ^^^^^ field Token.token
    event Locked(address indexed who, uint256 amount);
    //    ^^^^^^ struct Token.Locked
    error TooEarly(uint256 until);
    //    ^^^^^^^^ struct Token.TooEarly

    modifier onlyOpen() { require(state == State.Open); _; }
    //       ^^^^^^^^ method Token.onlyOpen
    modifier later() virtual;
    //       ^^^^^ method Token.later
    constructor(IERC20 given) ERC20("a", "b") { token = given; }
    // <- method Token.constructor
    receive() external payable {}
    // <- method Token.receive
    fallback() external {}
    // <- method Token.fallback
    function lock(uint256 amount) public virtual onlyOpen returns (bool ok) {
        //   ^^^^ method Token.lock
        uint256 local = amount;
        return local > 0;
    }
    function missing() external virtual;
    //       ^^^^^^^ method Token.missing
}

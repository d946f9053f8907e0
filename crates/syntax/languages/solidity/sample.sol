// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./Context.sol";
import {IERC20} from "../token/IERC20.sol";
import {SafeTransfer as Safe, Maths} from "../libraries/Safe.sol";
import * as Errors from "./Errors.sol";

/// How long a deposit stays, at least.
uint256 constant SHORTEST = 1 days;

type Shares is uint128;

/// @title Rounds towards the pool.
library Rounding {
    /// @notice Divides, and rounds up.
    function up(uint256 a, uint256 b) internal pure returns (uint256) {
        return a == 0 ? 0 : (a - 1) / b + 1;
    }

    function down(uint256 a, uint256 b) internal pure returns (uint256) {
        return a / b;
    }
}

interface IVault {
    event Deposited(address indexed who, uint256 amount);

    function deposit(uint256 amount) external returns (uint256 shares);

    function assets() external view returns (uint256);
}

/**
 * @title What every vault has.
 * @dev Fees are taken by those that inherit from it.
 */
abstract contract VaultBase is Context, IVault {
    using Safe for IERC20;
    using Rounding for uint256;

    struct Deposit {
        uint256 shares;
        uint64 since;
    }

    enum State {
        Open,
        Paused
    }

    error TooEarly(uint64 since, uint256 now_);
    error NotOpen();

    IERC20 public immutable token;
    State internal state;
    uint256 public constant PRECISION = 1e18;
    mapping(address => Deposit) private deposits;
    uint256 private total;

    event Withdrawn(address indexed who, uint256 amount);

    /// Only while the vault takes deposits.
    modifier whenOpen() {
        if (state != State.Open) revert NotOpen();
        _;
    }

    constructor(IERC20 token_) {
        token = token_;
        state = State.Open;
    }

    receive() external payable {
        revert Errors.NoEther();
    }

    /// @inheritdoc IVault
    function deposit(uint256 amount) external override whenOpen returns (uint256 shares) {
        address who = _sender();
        shares = _sharesFor(amount);
        Deposit storage kept = deposits[who];
        kept.shares += shares;
        kept.since = uint64(block.timestamp);
        total += shares;
        token.safeTransferFrom(who, address(this), amount);
        emit Deposited(who, amount);
    }

    function withdraw(uint256 shares) public virtual returns (uint256 amount) {
        Deposit memory kept = deposits[_sender()];
        if (block.timestamp < kept.since + SHORTEST) {
            revert TooEarly(kept.since, block.timestamp);
        }
        amount = Rounding.down(shares * assets(), total);
        deposits[_sender()].shares -= shares;
        total -= shares;
        _beforePaid(amount);
        token.safeTransfer(_sender(), amount);
        emit Withdrawn(_sender(), amount);
    }

    function assets() public view virtual override returns (uint256) {
        return token.balanceOf(address(this));
    }

    function _sharesFor(uint256 amount) internal view returns (uint256) {
        if (total == 0) return amount;
        return (amount * total).up(assets());
    }

    function _beforePaid(uint256 amount) internal virtual;
}

contract FeeVault is VaultBase {
    address private immutable collector;
    uint16 public fee;

    constructor(IERC20 token_, address collector_) VaultBase(token_) {
        collector = collector_;
    }

    function withdraw(uint256 shares) public override returns (uint256 amount) {
        amount = super.withdraw(shares);
        FeeTaken taken = new FeeTaken{salt: bytes32(shares)}(collector);
        taken.record(amount);
    }

    function _beforePaid(uint256 amount) internal override {
        (bool ok, ) = collector.call{value: 0}("");
        require(ok && amount > 0, "not paid");
    }
}

contract FeeTaken {
    address public to;

    constructor(address to_) {
        to = to_;
    }

    function record(uint256 amount) external {}
}

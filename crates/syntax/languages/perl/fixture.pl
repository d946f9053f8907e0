#!/usr/bin/env perl
package Shop::Cart;
#       ^^^^^^^^^^ module Shop.Cart

use strict;
use warnings;
use parent -norequire, 'Shop::Base';
use List::Util qw(sum max);
use constant PI => 3.14;
#            ^^ constant Shop.Cart.PI
use constant { MIN => 1, MAX => 2 };
#              ^^^ constant Shop.Cart.MIN
#                        ^^^ constant Shop.Cart.MAX

our $VERSION = '1.0';
#    ^^^^^^^ constant Shop.Cart.VERSION
our @EXPORT_OK = qw(total);
#    ^^^^^^^^^ constant Shop.Cart.EXPORT_OK
our ($debug, %cache);
#     ^^^^^ constant Shop.Cart.debug
#             ^^^^^ constant Shop.Cart.cache
my $count = 0;
my $LIMIT = 10;
#   ^^^^^ constant Shop.Cart.LIMIT

has 'name' => (is => 'ro');
#    ^^^^ field Shop.Cart.name
has price => (is => 'rw', default => 0);
#   ^^^^^ field Shop.Cart.price
has 'plain';
#    ^^^^^ field Shop.Cart.plain

sub new {
#   ^^^ function Shop.Cart.new
    my ($class, %args) = @_;
    my $inner = 1;
    return bless {%args}, $class;
}

sub total($self, $rate = 1) {
#   ^^^^^ function Shop.Cart.total
    return sum(map { $_->price } @{ $self->{items} }) * $rate;
}

sub forward;
#   ^^^^^^^ function Shop.Cart.forward
sub proto($$) { return $_[0] }
#   ^^^^^ function Shop.Cart.proto
my sub lexical { return 1 }
#      ^^^^^^^ function Shop.Cart.lexical
my $callback = sub { return shift };
#   ^^^^^^^^ function Shop.Cart.callback
*aliased = sub { return 2 };
#^^^^^^^ function Shop.Cart.aliased
sub Shop::Other::added { return 3 }
#   ^^^^^^^^^^^^^^^^^^ function Shop.Cart.Shop.Other.added

package Shop::Item {
#       ^^^^^^^^^^ module Shop.Cart.Shop.Item
    sub price { return 1 }
#       ^^^^^ function Shop.Cart.Shop.Item.price
}

class Point 1.0 {
#     ^^^^^ class Shop.Cart.Point
    field $x :param = 0;
    method shifted($by) { return $x + $by }
#          ^^^^^^^ method Shop.Cart.Point.shifted
}

package Shop::Extra;
#       ^^^^^^^^^^^ module Shop.Extra

sub extra { return 4 }
#   ^^^^^ function Shop.Extra.extra

1;
__END__

sub not_code { }

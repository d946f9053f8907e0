#!/usr/bin/env perl
package Shop::Cart;
#       ^^^^^^^^^^ module Shop.Cart

use strict;
use warnings;
use parent -norequire, 'Shop::Base';
use List::Util qw(sum max);
use constant PI => 3.14;
#            ^^ constant PI
use constant { MIN => 1, MAX => 2 };
#              ^^^ constant MIN
#                        ^^^ constant MAX

our $VERSION = '1.0';
#    ^^^^^^^ constant VERSION
our @EXPORT_OK = qw(total);
#    ^^^^^^^^^ constant EXPORT_OK
our ($debug, %cache);
#     ^^^^^ constant debug
#             ^^^^^ constant cache
my $count = 0;
my $LIMIT = 10;
#   ^^^^^ constant LIMIT

has 'name' => (is => 'ro');
#    ^^^^ field name
has price => (is => 'rw', default => 0);
#   ^^^^^ field price
has 'plain';
#    ^^^^^ field plain

sub new {
#   ^^^ function new
    my ($class, %args) = @_;
    my $inner = 1;
    return bless {%args}, $class;
}

sub total($self, $rate = 1) {
#   ^^^^^ function total
    return sum(map { $_->price } @{ $self->{items} }) * $rate;
}

sub forward;
#   ^^^^^^^ function forward
sub proto($$) { return $_[0] }
#   ^^^^^ function proto
my sub lexical { return 1 }
#      ^^^^^^^ function lexical
my $callback = sub { return shift };
#   ^^^^^^^^ function callback
*aliased = sub { return 2 };
#^^^^^^^ function aliased
sub Shop::Other::added { return 3 }
#   ^^^^^^^^^^^^^^^^^^ function Shop.Other.added

package Shop::Item {
#       ^^^^^^^^^^ module Shop.Item
    sub price { return 1 }
#       ^^^^^ function Shop.Item.price
}

class Point 1.0 {
#     ^^^^^ class Point
    field $x :param = 0;
    method shifted($by) { return $x + $by }
#          ^^^^^^^ method Point.shifted
}

package Shop::Extra;
#       ^^^^^^^^^^^ module Shop.Extra

sub extra { return 4 }
#   ^^^^^ function extra

1;
__END__

sub not_code { }

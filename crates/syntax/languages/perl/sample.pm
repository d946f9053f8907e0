package Library::Catalog;

use strict;
use warnings;
use feature qw(say signatures);
use parent 'Library::Store';

use Carp qw(croak);
use List::Util qw(first sum0);
use Library::Book;
use Library::Index ();
use constant MAX_LOANS => 5;
use constant {
    DAYS_SHORT => 7,
    DAYS_LONG  => 28,
};

our $VERSION = '0.12';
our @EXPORT_OK = qw(normalize);

my $DEFAULT_PATH = '/var/lib/catalog';
my $opened       = 0;

=head2 new

Makes a catalog. Takes the path it is kept at.

=cut

sub new {
    my ($class, %args) = @_;
    my $self = $class->SUPER::new(%args);
    $self->{index} = Library::Index->new(path => $args{path} // $DEFAULT_PATH);
    $self->{books} = {};
    $opened++;
    return $self;
}

# Adds a book, and says whether it was new.
sub add {
    my ($self, $book) = @_;
    croak "not a book" unless $book->isa('Library::Book');
    my $key = normalize($book->isbn);
    return 0 if exists $self->{books}{$key};
    $self->{books}{$key} = $book;
    $self->{index}->insert($key, $book->words);
    return 1;
}

sub find ($self, $text, %options) {
    my @keys = $self->{index}->search($text);
    my @found = map { $self->{books}{$_} } @keys;
    @found = grep { !$_->is_lent } @found if $options{available};
    return wantarray ? @found : $found[0];
}

sub lend {
    my ($self, $isbn, $reader) = @_;
    my $book = $self->by_isbn($isbn) or return;
    die Library::Error->new("too many loans") if $reader->loans >= MAX_LOANS;
    my $loan = Library::Loan->new(book => $book, reader => $reader);
    $loan->start(due_in($book));
    $self->notify(\&_mail, $loan);
    return $loan;
}

sub by_isbn {
    my ($self, $isbn) = @_;
    return $self->{books}{ normalize($isbn) };
}

sub pages {
    my $self = shift;
    return sum0(map { $_->pages } values %{ $self->{books} });
}

=head1 FUNCTIONS

=head2 normalize

An ISBN without what people write into it.

=cut

sub normalize {
    my ($isbn) = @_;
    $isbn =~ s/[^0-9Xx]//g;
    return uc $isbn;
}

sub due_in {
    my ($book) = @_;
    return $book->is_new ? DAYS_SHORT : DAYS_LONG;
}

my $mailer = sub {
    my ($loan) = @_;
    require Library::Mail;
    Library::Mail->send($loan->reader, "due " . $loan->due);
};

sub _mail { return $mailer->(@_) }

package Library::Catalog::Cursor;

use Moo;

extends 'Library::Cursor';
with 'Library::Role::Countable';

has catalog => (is => 'ro', required => 1);
has 'at' => (is => 'rw', default => sub { 0 });

sub next_book {
    my $self = shift;
    my @books = $self->catalog->find('');
    my $at = $self->at;
    $self->at($at + 1);
    return $books[$at];
}

1;

__END__

=head1 NAME

Library::Catalog - books and who has them

=cut

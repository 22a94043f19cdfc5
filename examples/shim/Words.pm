# What is measured: two small functions over a text.
package Words;

use strict;
use warnings;

# How often each word occurs, whatever its case.
sub count {
    my ($text) = @_;
    my %seen;
    $seen{ lc $_ }++ for split ' ', $text;
    return \%seen;
}

# The longest word; of several the first.
sub longest {
    my ($text) = @_;
    my $longest = '';
    for my $word (split ' ', $text) {
        $longest = $word if length $word > length $longest;
    }
    return $longest;
}

1;

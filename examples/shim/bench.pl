#!/usr/bin/env perl
# A shim: it names its benchmarks and measures the one it is asked for, in lines that benchwright reads.
use strict;
use warnings;
use lib '.';
use List::Util qw(min);
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
use Words;

$| = 1;    # every line at once, so that it is read while the next iteration runs

my $text = join ' ', map { 'word' . $_ % 97 } 1 .. 500;
my %benchmarks = (
    'count'   => sub { Words::count($text) },
    'longest' => sub { Words::longest($text) },
);

my ($verb, $name, %option) = @ARGV;
message('{"protocol": 1}');
if ($verb eq 'list') {
    message(qq({"benchmark": "$_"})) for sort keys %benchmarks;
    exit 0;
}
my $code = $benchmarks{$name};
if (!$code) {
    message(qq({"error": {"benchmark": "$name", "message": "there is no such benchmark"}}));
    exit 1;
}

# Warm up, and find out how many operations fill an iteration. The shorter of two tells: a pause is no work.
my $time = $option{'--iteration-time'};
my $warm_until = now() + $option{'--warmup-time'};
my $operations = 1;
while (1) {
    my $took = min(batch($operations), batch($operations));
    last if $took >= $time / 2 && now() >= $warm_until;
    $operations *= 2 if $took < $time / 2;
}
for (1 .. $option{'--iterations'}) {
    my $seconds = sprintf '%.6e', batch($operations) / $operations;
    message(qq({"sample": {"benchmark": "$name", "seconds": $seconds, "operations": $operations}}));
}

# Seconds that so many operations take.
sub batch {
    my ($count) = @_;
    my $start = now();
    $code->() for 1 .. $count;
    return now() - $start;
}

sub now { return clock_gettime(CLOCK_MONOTONIC) }

sub message { print "##benchwright $_[0]\n" }

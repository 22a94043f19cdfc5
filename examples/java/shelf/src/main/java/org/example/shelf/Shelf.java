package org.example.shelf;

import java.util.ArrayList;
import java.util.List;

/** A shelf of numbered books. */
public final class Shelf {

    private final List<Integer> books = new ArrayList<>();

    /** Puts a book at its place. */
    public void add(int book) {
        int at = 0;
        while (at < books.size() && books.get(at) < book) {
            at++;
        }
        books.add(at, book);
    }

    /** The sum of all numbers. */
    public long sum() {
        long sum = 0;
        for (int book : books) {
            sum += book;
        }
        return sum;
    }

    /** How many books there are. */
    public int size() {
        return books.size();
    }
}

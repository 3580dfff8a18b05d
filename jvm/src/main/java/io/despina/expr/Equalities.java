package io.despina.expr;

import java.util.List;

/**
 * A condition over two inputs, as {@code left = right AND … AND rest}. A key text names columns with their input's qualifier, and
 * is cast to the common type of both sides, so that equal keys have equal bytes and hashes.
 *
 * @param left  one text per equality, over the first input
 * @param right the other sides, over the second input
 * @param rest  the other conditions, joined by AND; null if there are none
 */
public record Equalities(List<String> left, List<String> right, String rest) {

    public Equalities {
        left = List.copyOf(left);
        right = List.copyOf(right);
    }
}

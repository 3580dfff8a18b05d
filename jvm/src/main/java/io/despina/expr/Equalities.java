package io.despina.expr;

import java.util.List;

/**
 * A condition over two inputs, as {@code left = right AND … AND rest}. A key text names columns with its input's qualifier
 * and is cast to the type that both sides have in common, so that equal keys have equal bytes and hashes.
 *
 * @param left  one text per equality, over the first input
 * @param right its other side, over the second input
 * @param rest  what is not such an equality, joined by AND; null if nothing is left
 */
public record Equalities(List<String> left, List<String> right, String rest) {

    public Equalities {
        left = List.copyOf(left);
        right = List.copyOf(right);
    }
}

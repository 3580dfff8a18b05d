package io.despina.wire.compress;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Transposing, against the definition. */
class ShuffleTest {
    @Property
    void everyByteGoesWhereItBelongsAndBack(@ForAll @IntRange(min = 1, max = 70) int rows,
            @ForAll @IntRange(min = 1, max = 70) int columns, @ForAll @IntRange(max = 20) int start, @ForAll long seed) {
        byte[] from = new byte[start + rows * columns];
        new SplittableRandom(seed).nextBytes(from);
        byte[] to = new byte[rows * columns];
        Shuffle.transpose(from, start, to, rows, columns);
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                assertEquals(from[start + row * columns + column], to[column * rows + row], row + ", " + column);
            }
        }
        byte[] back = new byte[rows * columns];
        Shuffle.transpose(to, 0, back, columns, rows);
        assertArrayEquals(Arrays.copyOfRange(from, start, from.length), back);
    }

    @Test
    void nothingIsReadOrWrittenBeyondTheArrays() {
        assertThrows(IndexOutOfBoundsException.class,
                () -> Shuffle.transpose(new byte[64 * 64 - 1], 0, new byte[64 * 64], 64, 64));
        assertThrows(IndexOutOfBoundsException.class,
                () -> Shuffle.transpose(new byte[64 * 64], 0, new byte[64 * 64 - 1], 64, 64));
        assertThrows(IndexOutOfBoundsException.class, () -> Shuffle.transpose(new byte[64 * 64], 1, new byte[64 * 64], 64, 64));
    }
}

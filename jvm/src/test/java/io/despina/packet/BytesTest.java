package io.despina.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BytesTest {
    private static final int MOST = 40;
    private final SplittableRandom random = new SplittableRandom(1);

    private byte[] made(int length) {
        byte[] made = new byte[length];
        random.nextBytes(made);
        return made;
    }

    @Test
    void copiesEveryLengthAndNothingElse() {
        for (int length = 0; length <= MOST; length++) {
            for (int at = 0; at < 3; at++) {
                byte[] from = made(at + length);
                byte[] to = made(5 + length + 9);
                byte[] expected = to.clone();
                System.arraycopy(from, at, expected, 5, length);
                Bytes.copy(from, at, to, 5, length);
                assertArrayEquals(expected, to, "length " + length);
            }
        }
    }

    @Test
    void comparesEveryByte() {
        for (int length = 1; length <= MOST; length++) {
            byte[] one = made(length);
            byte[] other = made(3 + length);
            System.arraycopy(one, 0, other, 3, length);
            assertTrue(Bytes.equal(one, 0, other, 3, length), "length " + length);
            for (int k = 0; k < length; k++) {
                other[3 + k] ^= 4;
                assertFalse(Bytes.equal(one, 0, other, 3, length), "byte " + k + " of " + length);
                other[3 + k] ^= 4;
            }
        }
    }
}

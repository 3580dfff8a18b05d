package io.despina.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CpusTest {
    @Test
    void readsAndWritesWhatLinuxWrites() {
        assertEquals("0-3,8", Cpus.parse("8, 0-3").toString());
        assertEquals("0-4", Cpus.parse("0-2,1-3,4").toString());
        assertEquals(5, Cpus.parse("0-3,8").count());
        assertEquals(Cpus.parse("1,2"), Cpus.parse("1-2"));
    }

    @Test
    void saysWhichAreMissing() {
        assertEquals("2,8", Cpus.parse("0-2,8").without(Cpus.parse("0-1,3")).toString());
        assertNull(Cpus.parse("1").without(Cpus.parse("0-1")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            ""       | `` is neither a number nor a range of numbers
            0-       | `0-` is neither a number nor a range of numbers
            "0, ,1"  | `` is neither a number nor a range of numbers
            cpu0     | `cpu0` is neither a number nor a range of numbers
            5-3      | the range `5-3` ends before it begins
            0-70000  | the range `0-70000` ends beyond 65535
            0-700000 | `0-700000` is neither a number nor a range of numbers
            """)
    void refusesOtherTexts(String text, String words) {
        assertEquals(words, assertThrows(IllegalArgumentException.class, () -> Cpus.parse(text)).getMessage());
    }
}

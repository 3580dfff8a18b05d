package io.despina.python;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NoInterpreterTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {
        "Cannot run program \"/no/python\": error=2, No such file or directory | true",
        "Cannot run program \"/no/python\": Exec failed, error: 2 (No such file or directory) | true",
        "Cannot run program \"./python\": error=13, Permission denied | true",
        "Cannot run program \"./python\": error=8, Exec format error | true",
        "Cannot run program \"python3\": error=12, Cannot allocate memory | false",
        "Cannot run program \"python3\": error=11, Resource temporarily unavailable | false",
        "Cannot run program \"python3\": error=24, Too many open files | false",
        "No space left on device | false", "- | false"})
    void whatWouldBeTheSameNextTimeIsWhy(String said, boolean lasting) {
        assertEquals(lasting, NoInterpreterException.isWhy(said));
    }
}

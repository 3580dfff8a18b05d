package io.despina.catalogue.field;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class LocalPathTest {
    @Test
    void allSpellingsAreOnePath() {
        for (String same : new String[] {"file:/tmp/a b", "file:///tmp/a%20b", "file:////tmp/a b", "file://localhost/tmp/a b",
            "file:/tmp//c/../a%20b/"}) {
            assertEquals("/tmp/a b", LocalPath.of(same), same);
        }
        assertEquals("/tmp/ä b+c$1 d", LocalPath.of("file:/tmp/%C3%A4 b+c%241%20d"));
        assertEquals("/tmp/*.{csv,json}", LocalPath.of("file:/tmp/*.{csv,json}"));
    }

    @Test
    void whatIsNoEscapeStays() {
        assertEquals("/tmp/50%x%2", LocalPath.of("file:/tmp/50%x%2"));
    }

    @Test
    void anotherMachineHasNone() {
        assertNull(LocalPath.of("file://far/tmp/a"));
        assertNull(LocalPath.of("file://a"));
    }
}

package io.despina.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LocalPathTest {
    @Test
    void fileUrisArePaths() {
        for (String same : new String[] {"/tmp/a b", "file:/tmp/a b", "file:///tmp/a%20b", "file://localhost/tmp/a b"}) {
            assertEquals("/tmp/a b", LocalPath.of(same));
        }
        assertEquals("/tmp/ä b+c$1 d", LocalPath.of("file:/tmp/%C3%A4 b+c%241%20d"));
        assertEquals("/tmp/*.{csv,json}", LocalPath.of("file:/tmp/*.{csv,json}"));
    }

    @Test
    void whatIsNoEscapeStays() {
        assertEquals("/tmp/50%", LocalPath.of("/tmp/50%"));
        assertEquals("/tmp/a%20b", LocalPath.of("/tmp/a%20b"));
        assertEquals("/tmp/50%x%2", LocalPath.of("file:/tmp/50%x%2"));
    }
}

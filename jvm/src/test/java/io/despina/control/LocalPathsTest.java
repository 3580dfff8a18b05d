package io.despina.control;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LocalPathsTest {
    @Test
    void fileUrisArePaths() {
        for (String same : new String[] {"/tmp/a b", "file:/tmp/a b", "file:///tmp/a%20b", "file://localhost/tmp/a b"}) {
            assertEquals("/tmp/a b", OperatorFactory.path(same));
        }
        assertEquals("/tmp/*.{csv,json}", OperatorFactory.path("file:/tmp/*.{csv,json}"));
        assertEquals("/tmp/50%", OperatorFactory.path("/tmp/50%"));
    }
}

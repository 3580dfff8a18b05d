package io.despina.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NamedEntriesTest {
    private static Map<String, String> texts(int files) throws IOException {
        Map<String, String> all = new LinkedHashMap<>();
        for (int k = 0; k < files; k++) {
            all.put("pending part-" + k, "1");
        }
        all.put("shows", "7");
        NamedEntries state = new NamedEntries("epochs", () -> all);
        Snapshots.of(state);
        return state.texts();
    }

    @Test
    void aManifestHasAllOfFewTexts() throws IOException {
        assertEquals(32, texts(31).size());
    }

    @Test
    void ofManyItHasThoseThatDecideAndSomeOfTheFiles() throws IOException {
        Map<String, String> shown = texts(1_000);
        assertEquals("7", shown.get("shows"));
        assertEquals("1", shown.get("pending part-0"));
        assertEquals("1001 texts", shown.get("…"));
        assertEquals(33, shown.size());
    }
}

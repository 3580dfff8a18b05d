package io.despina.catalogue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GenerateTest {

    @Test
    void generatedFilesAreCurrent() throws IOException {
        for (Map.Entry<String, String> file : Generate.files(Path.of("")).entrySet()) {
            assertEquals(file.getValue(), Files.readString(Path.of(file.getKey())),
                    file.getKey() + " is not what the declarations say: run `make generate`");
        }
    }
}

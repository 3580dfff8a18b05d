package io.despina.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** The folder of a run, as the harness keeps it. */
public record Run(Path folder) {
    /** The run's settings, of lines {@code key=value}. */
    public Settings settings(String... lines) throws IOException {
        return Settings.read(Files.write(folder.resolve("settings"), List.of(lines)).toString());
    }

    /** What this meter tells once the window has passed, and all have told; each must have counted something. */
    public JsonNode told(String meter) throws IOException, InterruptedException {
        long now = System.nanoTime();
        Path part = Files.writeString(folder.resolve(".window"), now + " " + now);
        Files.move(part, folder.resolve("window"), StandardCopyOption.ATOMIC_MOVE);     // whole at once: meters look for it
        try (DirectoryStream<Path> announced = Files.newDirectoryStream(folder, "*.pid")) {
            for (Path file : announced) {
                String name = file.getFileName().toString();
                awaitFile(name.substring(0, name.indexOf('.')) + ".json");
            }
        }
        return new ObjectMapper().readTree(folder.resolve(meter + ".json").toFile());
    }

    private void awaitFile(String name) throws InterruptedException {
        while (!Files.exists(folder.resolve(name))) {
            Thread.sleep(1);        // and ends when the test's time is up
        }
    }
}

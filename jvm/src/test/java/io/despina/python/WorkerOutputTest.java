package io.despina.python;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WorkerOutputTest {
    private static final int LONGEST = 500;
    private final LinkedBlockingQueue<String> log = new LinkedBlockingQueue<>();

    private List<String> lines(String printed) {
        WorkerOutput output = new WorkerOutput(new ByteArrayInputStream(printed.getBytes(StandardCharsets.UTF_8)), log::add);
        output.awaitEnd();
        return List.copyOf(log);
    }

    @Test
    void linesGoToTheLog() {
        assertEquals(List.of("one", "", "Größe", "end"), lines("one\n\nGröße\r\nend"));
    }

    @Test
    void aLineOfTheGreatestLengthIsWhole() {
        String longest = "x".repeat(LONGEST);
        assertEquals(List.of(longest, longest + "…", "y", longest), lines(longest + "\n" + longest + "xx\ny\n" + longest));
    }

    @Test
    void aLineWithoutAnEndIsToldBeforeItHasOne() throws IOException, InterruptedException {
        PipedInputStream stream = new PipedInputStream(1 << 16);
        WorkerOutput output;
        try (PipedOutputStream worker = new PipedOutputStream(stream)) {
            output = new WorkerOutput(stream, log::add);
            worker.write("x".repeat(LONGEST + 1).getBytes(StandardCharsets.UTF_8));
            worker.flush();
            assertEquals("x".repeat(LONGEST) + "…", log.poll(1, TimeUnit.MINUTES), "what comes meanwhile is not kept");
            worker.write("and more".getBytes(StandardCharsets.UTF_8));
        }
        output.awaitEnd();
        assertEquals(0, log.size());
    }
}

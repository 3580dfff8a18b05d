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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

    private static String last(String printed) {
        WorkerOutput output = new WorkerOutput(new ByteArrayInputStream(printed.getBytes(StandardCharsets.UTF_8)), line -> { });
        output.awaitEnd();
        return output.last();
    }

    /** However deep: the frames of the user's code come first, and the worker's last. */
    @Test
    void whereItWasIsToldFromWithin() {
        String worker = "  File \"/tmp/dsp-1-2/despina_worker.zip/despina_worker/service.py\", line 83 in _function\n".repeat(90)
                + "  File \"<frozen runpy>\", line 88 in _run_code\n";
        String user = "  File \"/lib/socket.py\", line 706 in readinto\n  File \"/plant/mine.py\", line 3 in f\n";
        String told = "  File \"/lib/socket.py\", line 706 in readinto |   File \"/plant/mine.py\", line 3 in f";
        assertEquals(told, last("a row\nStack (most recent call first):\n" + user + worker));
        assertEquals("Fatal Python error: Segmentation fault | " + told, last("a row\nFatal Python error: Segmentation fault\n\n"
                + "Current thread 0x00007f7731a0ab80 (most recent call first):\n" + user + worker
                + "\nExtension modules: numpy._core._multiarray_umath (total: 1)\n"));
        assertEquals("  File \"/a.py\", line 1 in f | ValueError", last("  File \"/a.py\", line 1 in f\nValueError\n"),
                "no more than lines that it has printed");
        assertEquals("12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23",
                last(IntStream.range(0, 24).mapToObj(k -> k + "\n").collect(Collectors.joining())));
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

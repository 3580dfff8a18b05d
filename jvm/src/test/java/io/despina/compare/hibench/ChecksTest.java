package io.despina.compare.hibench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.despina.compare.Run;
import io.despina.compare.Step;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the works make is right by their checks, and whatever is lost, doubled or altered on the way is not. */
@Timeout(60)
class ChecksTest {
    @TempDir
    Path folder;

    private Run run() {
        return new Run(folder);
    }

    /** Groups of the first windows, all of them whole but the last, of which nothing has come yet. */
    private List<byte[]> groups(int windows) throws IOException {
        List<byte[]> made = new ArrayList<>();
        FixedWindow.Visits visits = new FixedWindow.Visits();
        Step step = new FixedWindow.Windows(run().settings());
        for (int k = 0; k <= windows * FixedWindow.VISITS; k++) {
            step.accept(0, visits.next(), made::add);
        }
        return made;
    }

    private JsonNode judged(Step check, List<byte[]> records) throws Exception {
        records.forEach(record -> check.accept(0, record, out -> { }));
        return run().told("sink");
    }

    private static void assertTold(int right, int wrong, JsonNode told) {
        assertEquals(right + " right, " + wrong + " wrong", told.get("right") + " right, " + told.get("wrong") + " wrong");
    }

    @Test
    void windowsAreRightWhenTheNextHasBegun() throws Exception {
        List<byte[]> groups = groups(3);
        assertEquals(3 * FixedWindow.ADDRESSES, groups.size());
        assertTold(2, 0, judged(new FixedWindow.Check(run().settings()), groups));
    }

    @Test
    void aWindowWithoutOneGroupIsWrong() throws Exception {
        List<byte[]> groups = groups(3);
        groups.remove(5);
        assertTold(1, 1, judged(new FixedWindow.Check(run().settings()), groups));
    }

    @Test
    void aWindowWithAGroupTwiceIsWrong() throws Exception {
        List<byte[]> groups = groups(3);
        groups.add(5, groups.get(4));
        assertTold(1, 1, judged(new FixedWindow.Check(run().settings()), groups));
    }

    @Test
    void aWindowThatOneVisitIsMissingInIsWrong() throws Exception {
        List<byte[]> groups = groups(3);
        byte[] group = groups.get(5);
        groups.set(5, Records.of(Records.number(group, 0), Records.number(group, 1), Records.number(group, 2), 29));
        assertTold(1, 1, judged(new FixedWindow.Check(run().settings()), groups));
    }

    @Test
    void aWindowThatIsMissingIsWrong() throws Exception {
        List<byte[]> groups = groups(4);
        groups.subList((int) FixedWindow.ADDRESSES, (int) (2 * FixedWindow.ADDRESSES)).clear();
        assertTold(1, 1, judged(new FixedWindow.Check(run().settings()), groups));
    }

    @Test
    void theFirstWindowIsTheFirst() throws Exception {
        List<byte[]> groups = groups(3);
        groups.subList(0, (int) FixedWindow.ADDRESSES).clear();
        assertTold(1, 1, judged(new FixedWindow.Check(run().settings()), groups));
    }

    /** Counts of the words of these lines, as often as they are said. */
    private List<byte[]> counts(int times) throws IOException {
        List<byte[]> made = new ArrayList<>();
        WordCount.Lines lines = new WordCount.Lines(input().toString());
        Step split = new WordCount.Split();
        Step counts = new WordCount.Counts(run().settings());
        for (int k = 0; k < 2 * times; k++) {
            split.accept(0, lines.next(), word -> counts.accept(0, word, made::add));
        }
        return made;
    }

    private Path input() throws IOException {
        return Files.write(folder.resolve("lines"), List.of("a wide wide sea", "a ship"));
    }

    private Step counted() throws IOException {
        return new WordCount.Check(run().settings("input=" + input()));
    }

    @Test
    void countsAreRightEachTimeThatTheLinesHaveCome() throws Exception {
        assertTold(3, 0, judged(counted(), counts(3)));
    }

    @Test
    void aCountThatIsLostIsWrong() throws Exception {
        List<byte[]> counts = counts(3);
        counts.remove(1);           // wide's first: its second is none that follows, and no round closes where it ends
        JsonNode told = judged(counted(), counts);
        assertEquals(0, told.get("right").asInt());
        assertEquals(3, told.get("wrong").asInt());
    }

    @Test
    void aWordThatWasLostBeforeItWasCountedIsWrong() throws Exception {
        List<byte[]> made = new ArrayList<>();
        Step counts = new WordCount.Counts(run().settings());
        for (String word : List.of("a", "wide", "sea", "a", "ship", "a")) {
            counts.accept(0, word.getBytes(StandardCharsets.ISO_8859_1), made::add);
        }
        assertTold(0, 1, judged(counted(), made));
    }

    @Test
    void aWordThatIsInNoLineIsWrong() throws Exception {
        List<byte[]> counts = counts(1);
        counts.add(Records.counted(1, "boat".getBytes(StandardCharsets.ISO_8859_1)));
        assertTold(1, 1, judged(counted(), counts));
    }
}

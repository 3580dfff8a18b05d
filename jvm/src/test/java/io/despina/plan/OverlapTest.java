package io.despina.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OverlapTest {
    private static final String IS = "writes what `in` reads";
    private static final String HOLDS = "writes to a folder that holds what `in` reads";
    private static final String LIES_IN = "writes into the folder that `in` reads";
    private static final String GLOB = "writes where the glob of `in` can match";

    @ParameterizedTest
    @CsvSource(delimiter = ' ', value = {
        "/d/in /d/in is", "/d/in /d holds", "/d/in /d/in/sub lies_in", "/d/in / holds",
        "/d/in /d/in2 apart", "/d/in2 /d/in apart", "/d/in.csv /d/in apart",
        "/d/*.csv /d holds", "/d/*.csv /d/out apart", "/d/*.csv /d/out.csv glob", "/d/*/x.csv /d/out glob",
        "/d/*/x.csv /d/out/x.csv glob", "/d/*/x.csv /d/out/y.csv apart", "/d/a?/*.csv /d/b1 apart", "/d/a?/*.csv /d/a1/b/c apart",
        "/d/a?/* /d/a1/b/c glob", "/d/**.csv /d/out/deep glob", "/*/in /d/out apart", "/*/in /d glob", "/d/{a/b,c}/x /d/q glob",
        "/d/[ab] /d/[ab] is", "/d/[ab] /d/a glob", "/d/[ab] /d/c apart", "/d/[^b]* /d/a glob", "/d/[^b]* /d/b apart",
        "file:/d/in file:/d/in is", "hdfs://h/d hdfs://h/d/ is", "hdfs://h/d hdfs://g/d apart", "hdfs://h/d/* hdfs://h/d/x glob",
    })
    void aSinkInAFolderMeetsASource(String source, String sink, String expected) {
        assertEquals(words(expected), Overlap.words("in", reads(source), writes(sink, false)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ' ', value = {
        "/d/in /d/in is", "/d/in /d/in/one.csv lies_in", "/d/*/x.csv /d/out apart", "/d/*.csv /d/out.csv glob",
        "/d/*.csv /d/out.json apart",
    })
    void aSinkOfOneFileMeetsASource(String source, String sink, String expected) {
        assertEquals(words(expected), Overlap.words("in", reads(source), writes(sink, true)));
    }

    @Test
    void aPathIsComparedWhereItLeads() {
        assertEquals(LIES_IN, Overlap.words("in", reads("/link"), writes("/real/sub", false),
                path -> path.startsWith("/link") ? Path.of("/real").resolve(Path.of("/link").relativize(path)) : path));
        assertEquals(HOLDS, Overlap.words("in", reads("/link/*.csv"), writes("/real", false),
                path -> path.startsWith("/link") ? Path.of("/real").resolve(Path.of("/link").relativize(path)) : path));
    }

    private static String words(String expected) {
        return Map.of("is", IS, "holds", HOLDS, "lies_in", LIES_IN, "glob", GLOB).get(expected);
    }

    private static ReadsFiles reads(String path) {
        return () -> path;
    }

    private record Writes(String path, boolean singleFile) implements WritesFiles {
    }

    private static WritesFiles writes(String path, boolean single) {
        return new Writes(path, single);
    }
}

package io.despina.operator.source.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The position of a file source in a snapshot.
 *
 * @param path  of the source, in which the files are
 * @param round how often the files have been read completely
 * @param sent  with preload, how many of the loaded packets were sent in this round
 * @param marks one for each file, including those that are done
 */
record FilePlace(String path, long round, long sent, List<FileMark> marks) {
    private static final String PATH = "path";
    private static final String ROUND = "round";
    private static final String SENT = "sent";
    private static final String FILE = "file ";

    Map<String, String> entries() {
        Map<String, String> entries = new LinkedHashMap<>();
        entries.put(PATH, path);
        entries.put(ROUND, Long.toString(round));
        entries.put(SENT, Long.toString(sent));
        for (FileMark mark : marks) {
            entries.put(FILE + mark.id(), mark.toString());
        }
        return entries;
    }

    /**
     * The part of all instances' entries that one instance takes: its own entry at the same parallelism, else the marks of the
     * files that it reads now.
     */
    static FilePlace of(List<Map<String, String>> written, int instance, int parallelism) throws IOException {
        boolean same = written.size() == parallelism;
        List<FileMark> marks = new ArrayList<>();
        for (Map<String, String> each : written) {
            for (Map.Entry<String, String> entry : each.entrySet()) {
                FileMark mark = entry.getKey().startsWith(FILE) ? FileMark.parse(entry.getValue()) : null;
                if (mark != null && (same || mark.instance(parallelism) == instance)) {
                    marks.add(mark);
                }
            }
        }
        return same ? new FilePlace(written.get(instance).get(PATH), Long.parseLong(written.get(instance).get(ROUND)),
                Long.parseLong(written.get(instance).get(SENT)), marks) : new FilePlace(null, 0, 0, marks);
    }
}

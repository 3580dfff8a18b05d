package io.despina.control.coordinator;

import io.despina.control.protocol.Refusal;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Places among the kept rows of a collect sink, as texts that a program keeps: by instance, the number behind the last row that
 * it has. They belong to one state folder, whose numbers no attempt changes.
 *
 * @param folder its id
 */
record SinkPlace(String sink, String folder) {
    private static final String RULE = "place";

    /** Reads the id of the folder. @throws Refusal if rows are not kept */
    static SinkPlace of(Job job, String sink, CollectBuffer collected) throws Refusal {
        if (!collected.isKept()) {
            throw new Refusal(RULE, "rows of `" + sink + "` have no place: the job keeps none", "keep the state of the job in a "
                    + "folder of this machine, without delivery=\"at_least_once\"");
        }
        try {
            return new SinkPlace(sink, job.attempt().epochs().kept().folder().id());
        } catch (IOException e) {
            throw new Refusal("state", "the id of the state folder cannot be read: " + e.getMessage(), null);
        }
    }

    String text(long[] numbers) {
        return folder + LongStream.of(numbers).mapToObj(Long::toString).collect(Collectors.joining(" ", " ", ""));
    }

    long[] numbers(String text) throws Refusal {
        String[] parts = text.split(" ");
        if (!parts[0].equals(folder)) {
            throw new Refusal(RULE, "the place is not of the rows of `" + sink + "` in this state folder",
                    "leave it out, and rows come from the first that the program has not had");
        }
        try {
            return Arrays.stream(parts).skip(1).mapToLong(Long::parseLong).toArray();
        } catch (NumberFormatException e) {
            throw new Refusal(RULE, "`" + text + "` is no place", null);
        }
    }
}

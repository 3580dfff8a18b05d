package io.despina.expr.catalyst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Part of docs/functions.md: what came of a contract test, function by function. With {@code -Ddespina.record=true} it is
 * written, else what is written there must be true.
 */
final class FunctionPage {
    private static final Path PAGE = Path.of("docs/functions.md");

    /** By group, the functions whose examples were compared, and how many were. */
    private final Map<String, Map<String, Integer>> compared = new TreeMap<>();
    /** By group, the words about a function of which no example was compared. */
    private final Map<String, Map<String, String>> others = new TreeMap<>();

    void compared(String group, String function, int examples) {
        compared.computeIfAbsent(group, g -> new TreeMap<>()).put(function, examples);
    }

    void other(String group, String function, String words) {
        others.computeIfAbsent(group, g -> new TreeMap<>()).put(function, words);
    }

    /** @param section the section's name in the page */
    void check(String section) throws IOException {
        String page = Files.readString(PAGE);
        String begin = "<!-- " + section + " -->\n";
        String end = "<!-- end of " + section + " -->";
        int from = page.indexOf(begin) + begin.length();
        int to = page.indexOf(end);
        assertTrue(from >= begin.length() && to >= from, PAGE + " has no section " + section);
        if (Boolean.getBoolean("despina.record")) {
            Files.writeString(PAGE, page.substring(0, from) + text() + page.substring(to));
        } else {
            assertEquals(page.substring(from, to), text(), "write it by tools/gradle.sh unitTest -Precord"
                    + " -Ponly='.*(Function|Aggregate)ContractTest'");
        }
    }

    private String text() {
        StringBuilder text = new StringBuilder("| group | work |\n|---|---|\n");
        compared.forEach((group, functions) -> text.append("| ").append(plain(group)).append(" | ").append(
                functions.entrySet().stream().map(f -> "`" + escaped(f.getKey()) + "` " + f.getValue())
                        .collect(Collectors.joining(", "))).append(" |\n"));
        text.append("\n| function | |\n|---|---|\n");
        others.forEach((group, functions) -> functions.forEach((function, words) -> text.append("| `").append(function)
                .append("` | ").append(escaped(words)).append(" |\n")));
        return text.toString();
    }

    /** Spark's name of a group, as "string" for "string_funcs". */
    private static String plain(String group) {
        return group.replace("_funcs", "");
    }

    private static String escaped(String cell) {
        return cell.replace("|", "\\|").replace("\n", " ");
    }
}

package io.despina.operator.lookup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.OperatorHarness;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamedPlacesTest {
    private static final Schema IN = Schema.of(new Column("name", Simple.STRING, true),
            new Column("country", Simple.STRING, true));
    private static final Schema OUT = Schema.of(new Column("name", Simple.STRING, true),
            new Column("latitude", Simple.DOUBLE, true), new Column("score", Simple.DOUBLE, true));
    private static final Compiled<Projection> ROW = partition -> (inputs, out) -> {
        out.setColumn(0, inputs[1], 2);
        out.setColumn(1, inputs[1], 0);
        out.setColumn(2, inputs[1], 4);
    };

    @TempDir
    Path folder;

    private OperatorHarness open(int distance) throws Exception {
        NamedPlaces.Options options = new NamedPlaces.Options(folder + "/*.txt", distance);
        Lookup.Options row = new Lookup.Options(new Keys(IN, Timed.columns(0, 1), 256), NamedPlaces.PLACE, ROW, true);
        return OperatorHarness.of(() -> new Lookup(row, () -> new NamedPlaces(options))).inputs(IN).outputs(OUT).open();
    }

    private void file(String... lines) throws IOException {
        Files.writeString(folder.resolve("a.txt"), String.join("\n", lines));
    }

    private static String line(String name, double latitude, String country, long people) {
        return "1\t" + name + "\t\t\t" + latitude + "\t0\tP\tPPL\t" + country + "\t\t\t\t\t\t" + people + "\t\t\t\t";
    }

    private static List<Object> find(OperatorHarness harness, String name, String country) throws Exception {
        int before = harness.rows(0).size();
        harness.feedRow(0, name, country);
        return harness.rows(0).get(before);
    }

    @Test
    void theNearestNameWithMostPeopleIsThatOfALoopOverAll() throws Exception {
        Random random = new Random(7);
        List<String> names = new ArrayList<>();
        List<Long> people = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        for (int k = 0; k < 3000; k++) {
            names.add(word(random));
            people.add((long) random.nextInt(20));
            lines.add(line(names.get(k), k / 100.0, "DE", people.get(k)));
        }
        file(lines.toArray(String[]::new));
        try (OperatorHarness harness = open(3)) {
            for (int k = 0; k < 400; k++) {
                String asked = word(random);
                int best = -1;
                int nearest = Math.min(4, asked.length());
                for (int n = 0; n < names.size(); n++) {
                    int distance = distance(asked, names.get(n));
                    if (distance < nearest || distance == nearest && best >= 0 && people.get(n) > people.get(best)) {
                        nearest = distance;
                        best = n;
                    }
                }
                double score = nearest == 0 ? 1 : 0.95 * (1 - (double) nearest / asked.length());
                assertEquals(best < 0 ? Arrays.asList(null, null, null) : List.of(names.get(best), best / 100.0, score),
                        find(harness, asked, ""), asked);
            }
        }
    }

    private static String word(Random random) {
        StringBuilder word = new StringBuilder();
        for (int k = 1 + random.nextInt(9); k > 0; k--) {
            word.append((char) ('a' + random.nextInt(4)));
        }
        return word.toString();
    }

    private static int distance(String a, String b) {
        int[][] table = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int k = 0; k <= b.length(); k++) {
                table[i][k] = i == 0 || k == 0 ? i + k
                        : Math.min(table[i - 1][k - 1] + (a.charAt(i - 1) == b.charAt(k - 1) ? 0 : 1),
                                Math.min(table[i - 1][k], table[i][k - 1]) + 1);
            }
        }
        return table[a.length()][b.length()];
    }

    @ParameterizedTest
    @CsvSource({
        "ZÜRICH, Zürich", "zurich, Zürich", "' Zurich ', Zürich", "strasse, Straße", "STRASSE, Straße", "łódź, Lodz", "ガ, ガ",
        "カ, カ", "İstanbul, Istanbul", "МОСКВА, Москва",
    })
    void caseAndAccentsAreForgiven(String asked, String found) throws Exception {
        file(line("Zürich", 1, "CH", 1), line("Straße", 2, "DE", 1), line("Lodz", 3, "PL", 1), line("ガ", 4, "JP", 1),
                line("カ", 5, "JP", 9), line("Istanbul", 6, "TR", 1), line("Москва", 7, "RU", 1));
        try (OperatorHarness harness = open(0)) {
            assertEquals(found, find(harness, asked, "").get(0));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "91|DE|5|its latitude is 91, and must be from -90 to 90",
        "x|DE|5|its latitude is `x`, and no number",
        "NaN|DE|5|its latitude is NaN, and must be from -90 to 90",
        "1|Germany|5|its country is `Germany`, and must be two capital letters",
        "1|DE|many|its population is `many`, and no whole number",
    })
    void aBrokenLineIsToldWithItsNumber(String latitude, String country, String people, String words) throws Exception {
        file(line("a", 1, "DE", 1), "1\tb\t\t\t" + latitude + "\t0\t\t\t" + country + "\t\t\t\t\t\t" + people + "\t\t\t\t");
        assertTrue(refusal().endsWith("a.txt:2 is no place: " + words), refusal());
    }

    private String refusal() {
        return assertThrows(IOException.class, () -> open(0).close()).getMessage();
    }

    @Test
    void aNameOfAMegabyteIsNoPlaceAndNoGazetteerHasIt() throws Exception {
        String huge = "a".repeat(1 << 20);
        file(line("a", 1, "DE", 1));
        try (OperatorHarness harness = open(5)) {
            assertEquals(Arrays.asList(null, null, null), find(harness, huge, ""));
        }
        file(line("a", 1, "DE", 1), line(huge, 1, "DE", 1));
        assertTrue(refusal().endsWith("a.txt:2 is no place: the line has more than 131072 bytes"), refusal());
        file(line("a", 1, "DE", 1), line("b".repeat(2000), 1, "DE", 1));
        assertTrue(refusal().endsWith("a.txt:2 is no place: a name has 2000 bytes, and the longest may have 1600"), refusal());
        file("", "");
        assertTrue(refusal().endsWith("has no places"), refusal());
    }
}

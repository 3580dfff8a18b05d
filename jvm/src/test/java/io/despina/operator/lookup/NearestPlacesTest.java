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
import org.junit.jupiter.params.provider.ValueSource;

class NearestPlacesTest {
    private static final Schema IN = Schema.of(new Column("latitude", Simple.DOUBLE, true),
            new Column("longitude", Simple.DOUBLE, true));
    private static final Schema OUT = Schema.of(new Column("name", Simple.STRING, true),
            new Column("distance_km", Simple.DOUBLE, true));
    private static final Compiled<Projection> ROW = partition -> (inputs, out) -> {
        out.setColumn(0, inputs[1], 2);
        out.setColumn(1, inputs[1], 4);
    };
    private static final double RADIUS_KM = 6371.0088;

    @TempDir
    Path folder;

    private OperatorHarness open(double withinKm) throws Exception {
        NearestPlaces.Options options = new NearestPlaces.Options(folder + "/*.txt", withinKm);
        Lookup.Options row = new Lookup.Options(new Keys(IN, Timed.columns(0, 1), 256), NearestPlaces.PLACE, ROW, true);
        return OperatorHarness.of(() -> new Lookup(row, () -> new NearestPlaces(options))).inputs(IN).outputs(OUT).open();
    }

    private static List<Object> find(OperatorHarness harness, Double latitude, Double longitude) throws Exception {
        int before = harness.rows(0).size();
        harness.feedRow(0, latitude, longitude);
        return harness.rows(0).get(before);
    }

    private record Spot(double latitude, double longitude, int people) {
        /** By haversines, another way than the index'. */
        double km(double fromLatitude, double fromLongitude) {
            double up = Math.sin(Math.toRadians(latitude - fromLatitude) / 2);
            double along = Math.sin(Math.toRadians(longitude - fromLongitude) / 2);
            double square = up * up + Math.cos(Math.toRadians(latitude)) * Math.cos(Math.toRadians(fromLatitude)) * along * along;
            return 2 * RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(square)));
        }
    }

    /** Spread evenly, on few spots so that many are as near, or around a pole and the 180th meridian. */
    private static Spot spot(Random random, String spread) {
        double up = random.nextDouble() * 2 - 1;
        return switch (spread) {
            case "even" -> new Spot(Math.toDegrees(Math.asin(up)), random.nextDouble() * 360 - 180, random.nextInt(1000));
            case "few" -> new Spot(random.nextInt(5) * 10 - 20, random.nextInt(5) * 10, random.nextInt(3));
            default -> new Spot(90 - random.nextDouble() * 3, 180 - 3 * up * up * Math.signum(up), random.nextInt(1000));
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"even", "few", "edge"})
    void theNearestIsThatOfALoopOverAll(String spread) throws Exception {
        Random random = new Random(11);
        List<Spot> spots = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        for (int k = 0; k < 2000; k++) {
            Spot spot = spot(random, spread);
            spots.add(spread.equals("edge") && spot.longitude() > 180
                    ? new Spot(spot.latitude(), spot.longitude() - 360, spot.people()) : spot);
            lines.add(line("p" + k, spots.get(k)));
        }
        Files.write(folder.resolve("a.txt"), lines);
        double within = spread.equals("edge") ? 0.5 : 300;
        int none = 0;
        try (OperatorHarness harness = open(within)) {
            for (int k = 0; k < 1000; k++) {
                Spot asked = k % 9 == 0 ? spots.get(random.nextInt(spots.size())) : spot(random, spread);
                int best = -1;
                for (int n = 0; n < spots.size(); n++) {
                    double km = spots.get(n).km(asked.latitude(), asked.longitude());
                    double least = best < 0 ? within : spots.get(best).km(asked.latitude(), asked.longitude());
                    boolean nearer = km < least - 1e-9;
                    boolean larger = best >= 0 && Math.abs(km - least) <= 1e-9
                            && spots.get(n).people() > spots.get(best).people();
                    best = nearer || larger ? n : best;
                }
                none += best < 0 ? 1 : 0;
                List<Object> row = find(harness, asked.latitude(), asked.longitude());
                assertEquals(best < 0 ? null : "p" + best, row.get(0), asked.toString());
                if (best >= 0) {
                    assertEquals(spots.get(best).km(asked.latitude(), asked.longitude()), (double) row.get(1), 1e-4);
                }
            }
        }
        assertTrue(spread.equals("few") || none > 0 && none < 900, "near none: " + none);
    }

    private static String line(String name, Spot spot) {
        return "1\t" + name + "\t\t\t" + spot.latitude() + "\t" + spot.longitude() + "\tP\tPPL\tDE\t\t\t\t\t\t"
                + spot.people() + "\t\t\t\t";
    }

    @Test
    void aPointThatIsNotOnTheEarthIsNearNoPlaceHoweverFar() throws Exception {
        Files.writeString(folder.resolve("a.txt"), line("north", new Spot(90, 0, 1)));
        try (OperatorHarness harness = open(30_000)) {
            assertEquals(List.of("north", Math.PI * RADIUS_KM), find(harness, -90.0, 77.0));
            assertEquals(0, (double) find(harness, 90.0, -540.0).get(1), 1e-9);
            for (Double wrong : Arrays.asList(90.001, Double.NaN, Double.NEGATIVE_INFINITY, null)) {
                assertEquals(Arrays.asList(null, null), find(harness, wrong, 1.0));
            }
            assertEquals(Arrays.asList(null, null), find(harness, 1.0, Double.POSITIVE_INFINITY));
        }
    }

    @Test
    void aBrokenLineIsToldWithItsNumberAndNoPlaceIsAnError() throws Exception {
        Files.writeString(folder.resolve("a.txt"), line("a", new Spot(1, 2, 3)) + "\n1\tb\n");
        String words = assertThrows(IOException.class, () -> open(1).close()).getMessage();
        assertTrue(words.endsWith("a.txt:2 is no place: the line has 2 columns, not 19"), words);
        Files.writeString(folder.resolve("a.txt"), "");
        words = assertThrows(IOException.class, () -> open(1).close()).getMessage();
        assertTrue(words.endsWith("has no places"), words);
    }
}

package io.despina.operator.lookup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Compiled;
import io.despina.expr.Expressions;
import io.despina.expr.Projection;
import io.despina.expr.TextOptions;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AreaTableTest {
    private static final Schema POINTS = Schema.of(new Column("id", Simple.BIGINT, false),
            new Column("lat", Simple.DOUBLE, true), new Column("lon", Simple.DOUBLE, true));
    private static final Schema KEY = Schema.of(new Column("latitude", Simple.DOUBLE, true),
            new Column("longitude", Simple.DOUBLE, true));
    private static final Schema AREA = Schema.of(new Column("name", Simple.STRING, true));
    private static final Schema OUT = Schema.of(new Column("id", Simple.BIGINT, false), new Column("name", Simple.STRING, true));
    private static final Compiled<Projection> ROW = partition -> (inputs, out) -> {
        out.setColumn(0, inputs[0], 0);
        out.setColumn(1, inputs[1], 0);
    };

    @TempDir
    Path folder;

    private OperatorHarness.Setup setup(boolean left) {
        AreaTable.Options options = new AreaTable.Options((left ? "file:" : "") + folder + "/*.geojson",
                new TextOptions("json", AREA, 1, Map.of(), "UTC", true), Expressions::parser);
        Lookup.Options row = new Lookup.Options(new Keys(KEY, Timed.columns(1, 2), 256), AREA, ROW, left);
        return OperatorHarness.of(() -> new Lookup(row, () -> new AreaTable(options))).inputs(POINTS).outputs(OUT);
    }

    private void file(String name, String... features) throws IOException {
        Files.writeString(folder.resolve(name + ".geojson"), "{\"type\": \"FeatureCollection\", \"features\": ["
                + String.join(", ", features) + "]}");
    }

    private static String feature(String name, String geometry) {
        return "{\"type\": \"Feature\", \"properties\": {\"name\": \"" + name + "\"}, \"geometry\": " + geometry + "}";
    }

    private static String polygon(String... rings) {
        return "{\"type\": \"Polygon\", \"coordinates\": [" + String.join(", ", rings) + "]}";
    }

    private static String box(double west, double south, double east, double north) {
        return "[[%1$s,%2$s],[%3$s,%2$s],[%3$s,%4$s],[%1$s,%4$s],[%1$s,%2$s]]".formatted(west, south, east, north);
    }

    /** The names of the areas at a point. */
    private static List<Object> at(OperatorHarness harness, Double latitude, Double longitude) throws Exception {
        int before = harness.rows(0).size();
        harness.feedRow(0, 1L, latitude, longitude);
        return harness.rows(0).stream().skip(before).map(row -> row.get(1)).collect(Collectors.toList());
    }

    @Test
    void rowsAreThoseOfAllAreasAroundAPointWhateverRoomThereIs() throws Exception {
        file("a", feature("outer", polygon(box(0, 0, 10, 10), box(4, 4, 6, 6))), feature("inner", polygon(box(3, 3, 5, 5))),
                feature("two", "{\"type\": \"MultiPolygon\", \"coordinates\": [[" + box(20, 0, 21, 1) + "], [" + box(1, 1, 2, 2)
                        + "]]}"));
        file("b", feature("last", polygon(box(0, 0, 3.5, 3.5))));
        try (OperatorHarness harness = setup(true).room(1, 1).open()) {
            harness.feed(0, List.of(Rows.row(1L, 1.5, 1.5), Rows.row(2L, 4.5, 4.5), Rows.row(3L, 5.5, 5.5),
                    Rows.row(4L, 3.25, 3.25), Rows.row(5L, null, 3.0)));
            assertEquals(List.of(Rows.row(1L, "outer"), Rows.row(1L, "two"), Rows.row(1L, "last"), Rows.row(2L, "inner"),
                    Rows.row(3L, null), Rows.row(4L, "outer"), Rows.row(4L, "inner"), Rows.row(4L, "last"), Rows.row(5L, null)),
                    harness.rows(0));
        }
    }

    @Test
    void anEdgeBelongsToTheAreasOnBothSides() throws Exception {
        file("a", feature("west", polygon(box(0, 0, 1, 1))), feature("east", polygon(box(1, 0, 2, 1))));
        try (OperatorHarness harness = setup(false).open()) {
            assertEquals(List.of("west", "east"), at(harness, 0.5, 1.0));
            assertEquals(List.of("west", "east"), at(harness, 1.0, 1.0));
            assertEquals(List.of("west"), at(harness, 0.0, 0.0));
            assertEquals(List.of(), at(harness, Math.nextUp(1.0), 1.0));
        }
    }

    /** Fiji, as it is cut by RFC 7946, as longitudes that go on behind 180, and as an edge that jumps. */
    @ParameterizedTest
    @ValueSource(strings = {
        "{\"type\": \"MultiPolygon\", \"coordinates\": [[[[177,-20],[180,-20],[180,-16],[177,-16],[177,-20]]],"
                + "[[[-180,-20],[-178,-20],[-178,-16],[-180,-16],[-180,-20]]]]}",
        "{\"type\": \"Polygon\", \"coordinates\": [[[177,-20],[182,-20],[182,-16],[177,-16],[177,-20]]]}",
        "{\"type\": \"Polygon\", \"coordinates\": [[[-183,-20],[-178,-20],[-178,-16],[-183,-16],[-183,-20]]]}",
        "{\"type\": \"Polygon\", \"coordinates\": [[[177,-20],[-178,-20],[-178,-16],[177,-16],[177,-20]]]}",
        "{\"type\": \"Polygon\", \"coordinates\": [[[-178,-16],[177,-16],[177,-20],[-178,-20],[-178,-16]]]}"})
    void anAreaAcrossThe180thMeridianIsOne(String fiji) throws Exception {
        file("a", feature("Fiji", fiji), feature("Samoa", polygon(box(-173, -15, -171, -13))));
        try (OperatorHarness harness = setup(false).open()) {
            for (double longitude : new double[] {177, 178, 179.5, 180, -180, -179.5, -178.5, -178, 181, -181, 538}) {
                assertEquals(List.of("Fiji"), at(harness, -18.0, longitude), "" + longitude);
            }
            for (double longitude : new double[] {176.9, -177.9, 0, 90, -90}) {
                assertEquals(List.of(), at(harness, -18.0, longitude), "" + longitude);
            }
            assertEquals(List.of("Samoa"), at(harness, -14.0, 188.0));
        }
    }

    @Test
    void aHoleAcrossThe180thMeridianIsOutside() throws Exception {
        file("a", feature("sea", polygon("[[170,-10],[-170,-10],[-170,10],[170,10],[170,-10]]",
                "[[-179,-1],[-178,-1],[-178,1],[-179,1],[-179,-1]]")), feature("world", polygon(box(-180, -90, 180, 90))));
        try (OperatorHarness harness = setup(false).open()) {
            assertEquals(List.of("world"), at(harness, 0.0, -178.5));
            assertEquals(List.of("sea", "world"), at(harness, 0.0, 178.5));
            assertEquals(List.of("sea", "world"), at(harness, 0.0, 180.0));
            assertEquals(List.of("world"), at(harness, 90.0, 17.0));
        }
    }

    @Test
    void whatIsNoPlaceOnTheEarthIsInNoArea() throws Exception {
        file("a", feature("world", polygon(box(-180, -90, 180, 90))));
        try (OperatorHarness harness = setup(false).open()) {
            assertEquals(List.of(), at(harness, 90.5, 0.0));
            assertEquals(List.of(), at(harness, Double.NaN, 0.0));
            assertEquals(List.of(), at(harness, 0.0, Double.POSITIVE_INFINITY));
            assertEquals(List.of("world"), at(harness, 0.0, 1e9));
        }
    }

    /** Random stars with holes against rays of a plain loop. */
    @Test
    void randomAreasAreAsAPlainLoopHasThem() throws Exception {
        Random random = new Random(39);
        List<List<double[][]>> areas = new ArrayList<>();
        List<String> features = new ArrayList<>();
        for (int k = 0; k < 150; k++) {
            double x = random.nextDouble() * 200 - 100;
            double y = random.nextDouble() * 100 - 50;
            double size = 1 + random.nextDouble() * 30;
            List<double[][]> rings = List.of(star(random, x, y, size / 2, size), star(random, x, y, size / 8, size / 3));
            areas.add(rings);
            features.add(feature("" + k, polygon(rings.stream().map(AreaTableTest::written).toArray(String[]::new))));
        }
        file("a", features.toArray(String[]::new));
        int several = 0;
        try (OperatorHarness harness = setup(false).open()) {
            for (int k = 0; k < 4000; k++) {
                double latitude = random.nextDouble() * 140 - 70;
                double longitude = random.nextDouble() * 260 - 130;
                List<Object> expected = new ArrayList<>();
                for (int a = 0; a < areas.size(); a++) {
                    if (areas.get(a).stream().filter(ring -> isAround(ring, longitude, latitude)).count() == 1) {
                        expected.add("" + a);
                    }
                }
                several += expected.size() > 1 ? 1 : 0;
                assertEquals(expected, at(harness, latitude, longitude), latitude + " " + longitude);
            }
        }
        assertTrue(several > 500, () -> "most points are in one area at most");
    }

    private static double[][] star(Random random, double x, double y, double least, double most) {
        int n = 5 + random.nextInt(40);
        double[][] ring = new double[n + 1][];
        for (int k = 0; k < n; k++) {
            double far = least + random.nextDouble() * (most - least);
            ring[k] = new double[] {x + far * Math.cos(2 * Math.PI * k / n), y + far * Math.sin(2 * Math.PI * k / n)};
        }
        ring[n] = ring[0];
        return ring;
    }

    private static String written(double[][] ring) {
        return List.of(ring).stream().map(p -> "[" + p[0] + "," + p[1] + "]").collect(Collectors.joining(",", "[", "]"));
    }

    private static boolean isAround(double[][] ring, double x, double y) {
        boolean odd = false;
        for (int k = 1; k < ring.length; k++) {
            double[] a = ring[k - 1];
            double[] b = ring[k];
            if (a[1] > y != b[1] > y && x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0]) {
                odd = !odd;
            }
        }
        return odd;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "null | it has no geometry, and so no area",
        "{\"type\": \"Point\", \"coordinates\": [1, 2]} | its geometry is a Point, and only a Polygon or",
        "{\"coordinates\": []} | its geometry has no `type`",
        "{\"type\": \"Polygon\", \"coordinates\": []} | its geometry is empty: `coordinates` has no rings",
        "{\"type\": \"MultiPolygon\", \"coordinates\": []} | its geometry is empty: `coordinates` has no polygons",
        "{\"type\": \"Polygon\", \"coordinates\": [[[0,0],[1,1],[0,0]]]} | a ring of it has 3 positions, and needs 4",
        "{\"type\": \"Polygon\", \"coordinates\": [[[0,0],[1,0],[1,1],[0,1]]]} | a ring of it is not closed",
        "{\"type\": \"Polygon\", \"coordinates\": [[[0,0],[2,2],[2,0],[0,2],[0,0]]]} | touches itself near longitude 1.0,",
        "{\"type\": \"Polygon\", \"coordinates\": [[[0,0],[1,0],[1,1],[0,0]],[[5,5],[6,5],[6,6],[5,5]]]} | a hole lies outside",
        "{\"type\": \"Polygon\", \"coordinates\": [[[0,0],[1],[1,1],[0,0]]]} | a position of it is no array",
        "{\"type\": \"Polygon\", \"coordinates\": [[[0,0],[50,100],[1,1],[0,0]]]} | longitude 50.0, latitude 100.0 is no",
        "{\"type\": \"Polygon\", \"coordinates\": [[[0,80],[120,80],[-120,80],[0,80]]]} | a ring of it goes round a pole"})
    void whatIsNoAreaIsToldWithItsFileAndFeature(String geometry, String words) throws Exception {
        file("a", feature("good", polygon(box(0, 0, 1, 1))), feature("bad", geometry));
        String said = refusal();
        assertTrue(said.startsWith(folder + "/a.geojson: feature 2: ") && said.contains(words), said);
    }

    private String refusal() {
        return assertThrows(IOException.class, () -> setup(true).skippingBadRecords().open()).getMessage();
    }

    @Test
    void filesThatAreNoCollectionOfAreasAreTold() throws Exception {
        assertTrue(refusal().contains("*.geojson"), this::refusal);
        file("a");
        assertEquals(folder + "/a.geojson has no areas: its FeatureCollection is empty", refusal());
        Files.writeString(folder.resolve("a.geojson"), "{\"type\": \"Topology\", \"objects\": {}}");
        assertEquals(folder + "/a.geojson is no GeoJSON of areas: its `type` is `Topology`", refusal());
        Files.writeString(folder.resolve("a.geojson"), "{\"type\": \"FeatureCollection\",\n \"features\": [{]}");
        assertTrue(refusal().startsWith(folder + "/a.geojson:2:"), this::refusal);
        Files.writeString(folder.resolve("a.geojson"), "");
        assertTrue(refusal().contains("is no JSON: there is no object"), this::refusal);
    }

    @Test
    void oneFeatureIsAFileToo() throws Exception {
        Files.writeString(folder.resolve("a.geojson"), feature("alone", polygon(box(0, 0, 1, 1))));
        try (OperatorHarness harness = setup(true).open()) {
            assertEquals(List.of("alone"), at(harness, 0.5, 0.5));
        }
    }

    @Test
    void aTableThatIsTooLargeFails() throws Exception {
        String[] many = new String[2000];
        for (int k = 0; k < many.length; k++) {
            many[k] = feature("area " + k, polygon(box(0, 0, 1 + k / 1000.0, 1)));
        }
        file("a", many);
        assertThrows(IllegalStateException.class, () -> setup(true).memory(1_000_000).open());
        try (OperatorHarness harness = setup(true).open()) {
            assertEquals(2000, at(harness, 0.5, 0.5).size());
        }
    }
}

package io.despina.operator.lookup;

import io.despina.operator.HintedException;
import io.despina.operator.source.file.WholeFiles;
import io.despina.packet.PacketWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Places in GeoNames' table format: a line for each, of 19 columns between tabs, without quotes. */
final class Gazetteer {
    static final int ANY = -1;
    static final int NO_PLACE = -2;
    private static final int COLUMNS = 19;
    private static final int NAME = 1;
    private static final int ASCII_NAME = 2;
    private static final int OTHER_NAMES = 3;
    private static final int LATITUDE = 4;
    private static final int LONGITUDE = 5;
    private static final int COUNTRY = 8;
    private static final int PEOPLE = 14;
    private static final int LETTERS = 26;
    /** No country. */
    private static final int NOWHERE = LETTERS * LETTERS;
    private static final int FIRST = 1 << 10;
    private static final int LONGEST_LINE = 1 << 17;
    private static final int CHARGE_EVERY = 1 << 12;
    private static final String HINT = "a gazetteer is a table of GeoNames: 19 columns between tabs, as in cities15000.txt";

    private final PlaceNames names = new PlaceNames();
    private final FoldedName folded = new FoldedName();
    private final boolean[] countries = new boolean[NOWHERE + 1];
    private final int[] tabs = new int[COLUMNS + 1];
    private double[] latitudes = new double[FIRST];
    private double[] longitudes = new double[FIRST];
    private long[] people = new long[FIRST];
    private short[] countryOf = new short[FIRST];
    private int[] nameOf = new int[FIRST];
    private int size;
    private byte[] line = new byte[FIRST];
    private final boolean byName;

    /** @param byName whether places are found by their names; without, {@link #names} has no keys */
    Gazetteer(boolean byName) {
        this.byName = byName;
    }

    /**
     * Reads files.
     *
     * @param path   a file, a folder or a glob, or its URI
     * @param charge called now and then, so that files that are too large fail and do not fill the heap
     * @throws HintedException with the number of a line that is none, or if there is no place
     */
    void read(String path, Runnable charge) throws IOException {
        WholeFiles.each(path, (file, text) -> read(file, text, charge));
        if (size == 0) {
            throw new HintedException("the gazetteer " + path + " has no places", "check `path`", null);
        }
    }

    private void read(String file, InputStream text, Runnable charge) throws IOException {
        int number = 0;
        int end = 0;
        byte[] block = new byte[1 << 16];
        try {
            for (int count = text.read(block); count >= 0; count = text.read(block)) {
                for (int k = 0; k < count; k++) {
                    if (block[k] != '\n') {
                        keep(end++, block[k]);
                        continue;
                    }
                    number++;
                    add(end);
                    end = 0;
                    if (number % CHARGE_EVERY == 0) {
                        charge.run();
                    }
                }
            }
            number++;
            add(end);
        } catch (IllegalArgumentException wrong) {
            int at = end > LONGEST_LINE ? number + 1 : number;
            throw new HintedException(file + ":" + at + " is no place: " + wrong.getMessage(), HINT, wrong);
        } catch (ArithmeticException full) {
            throw new HintedException(file + ": the gazetteer has more than 2 GB of names", "take one of fewer places", full);
        }
    }

    private void keep(int at, byte value) {
        if (at == line.length) {
            line = Arrays.copyOf(line, 2 * at);
        }
        if (at >= LONGEST_LINE) {
            throw new IllegalArgumentException("the line has more than " + LONGEST_LINE + " bytes");
        }
        line[at] = value;
    }

    private void add(int length) {
        int end = length > 0 && line[length - 1] == '\r' ? length - 1 : length;
        if (end == 0) {
            return;
        }
        int columns = 0;
        tabs[0] = -1;
        for (int k = 0; k < end; k++) {
            if (line[k] == '\t' && ++columns < COLUMNS) {
                tabs[columns] = k;
            }
        }
        columns++;
        if (columns != COLUMNS) {
            throw new IllegalArgumentException("the line has " + columns + (columns == 1 ? " column" : " columns") + ", not "
                    + COLUMNS);
        }
        tabs[COLUMNS] = end;
        if (size == nameOf.length) {
            grow();
        }
        latitudes[size] = degrees(LATITUDE, "latitude", 90);
        longitudes[size] = degrees(LONGITUDE, "longitude", 180);
        people[size] = people();
        countryOf[size] = (short) readCountry();
        if (from(NAME) == to(NAME)) {
            throw new IllegalArgumentException("it has no name");
        }
        checkName(from(NAME), to(NAME));
        nameOf[size] = names.write(line, from(NAME), to(NAME) - from(NAME));
        if (byName) {
            call();
        }
        countries[countryOf[size]] = true;
        size++;
    }

    /** By each of its names. */
    private void call() {
        call(from(NAME), to(NAME));
        call(from(ASCII_NAME), to(ASCII_NAME));
        int start = from(OTHER_NAMES);
        for (int k = start; k <= to(OTHER_NAMES); k++) {
            if (k == to(OTHER_NAMES) || line[k] == ',') {
                call(start, k);
                start = k + 1;
            }
        }
    }

    private void grow() {
        latitudes = Arrays.copyOf(latitudes, 2 * size);
        longitudes = Arrays.copyOf(longitudes, 2 * size);
        people = Arrays.copyOf(people, 2 * size);
        countryOf = Arrays.copyOf(countryOf, 2 * size);
        nameOf = Arrays.copyOf(nameOf, 2 * size);
    }

    private static void checkName(int from, int to) {
        if (to - from > FoldedName.MOST_BYTES) {
            throw new IllegalArgumentException("a name has " + (to - from) + " bytes, and the longest may have "
                    + FoldedName.MOST_BYTES);
        }
    }

    private void call(int from, int to) {
        checkName(from, to);
        folded.fold(line, from, to - from);
        if (folded.length() > 0) {
            names.add(size, folded, line, from, to - from);
        }
    }

    private int from(int column) {
        return tabs[column] + 1;
    }

    private int to(int column) {
        return tabs[column + 1];
    }

    private String cell(int column) {
        int length = Math.min(to(column) - from(column), 40);
        return new String(line, from(column), length, StandardCharsets.UTF_8);
    }

    private double degrees(int column, String name, int most) {
        double value;
        try {
            value = Double.parseDouble(cell(column));
        } catch (NumberFormatException wrong) {
            throw new IllegalArgumentException("its " + name + " is `" + cell(column) + "`, and no number", wrong);
        }
        if (!(Math.abs(value) <= most)) {
            throw new IllegalArgumentException("its " + name + " is " + cell(column) + ", and must be from -" + most
                    + " to " + most);
        }
        return value;
    }

    private long people() {
        String cell = cell(PEOPLE);
        try {
            return cell.isEmpty() ? 0 : Long.parseLong(cell);
        } catch (NumberFormatException wrong) {
            throw new IllegalArgumentException("its population is `" + cell + "`, and no whole number", wrong);
        }
    }

    private int readCountry() {
        String cell = cell(COUNTRY);
        int code = cell.isEmpty() ? NOWHERE : number(cell);
        if (code == NO_PLACE) {
            throw new IllegalArgumentException("its country is `" + cell + "`, and must be two capital letters");
        }
        return code;
    }

    private static int number(String code) {
        boolean fits = code.length() == 2 && code.chars().allMatch(letter -> letter >= 'A' && letter <= 'Z');
        return fits ? (code.charAt(0) - 'A') * LETTERS + code.charAt(1) - 'A' : NO_PLACE;
    }

    /** The number of a country; {@link #NO_PLACE} if no place is in it. */
    int country(String code) {
        int number = number(code);
        return number != NO_PLACE && countries[number] ? number : NO_PLACE;
    }

    int size() {
        return size;
    }

    PlaceNames names() {
        return names;
    }

    double latitude(int place) {
        return latitudes[place];
    }

    double longitude(int place) {
        return longitudes[place];
    }

    int country(int place) {
        return countryOf[place];
    }

    /** The two letters of its country; none if it is in none. */
    private byte[] code(int place) {
        int code = countryOf[place];
        return code == NOWHERE ? new byte[0] : new byte[] {(byte) ('A' + code / LETTERS), (byte) ('A' + code % LETTERS)};
    }

    /** Writes columns 0 to 3 of a row: latitude, longitude, name, country. */
    void write(int place, PacketWriter row) {
        row.setDouble(0, latitudes[place]);
        row.setDouble(1, longitudes[place]);
        int name = nameOf[place];
        row.setBytes(2, names.text(), name + 2, names.length(name));
        byte[] code = code(place);
        row.setBytes(3, code, 0, code.length);
    }

    /** Whether of two places that fit as well the first is taken: the one with more people, of equals the first of the files. */
    boolean isBefore(int place, int other) {
        return people[place] > people[other] || people[place] == people[other] && place < other;
    }

    /** Memory held. */
    long bytes() {
        return names.bytes() + 30L * nameOf.length;
    }
}

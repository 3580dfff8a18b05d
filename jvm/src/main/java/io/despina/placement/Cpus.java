package io.despina.placement;

import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Numbers of processors, as Linux writes them: {@code 0-3,8}. */
public final class Cpus {
    /** Larger numbers are of no machine. */
    private static final int MOST = 1 << 16;
    private static final Pattern RANGE = Pattern.compile("\\s*(\\d{1,5})\\s*(?:-\\s*(\\d{1,5})\\s*)?");

    private final BitSet numbers;

    private Cpus(BitSet numbers) {
        this.numbers = numbers;
    }

    /** @throws IllegalArgumentException with what is wrong with the text */
    public static Cpus parse(String text) {
        BitSet all = new BitSet();
        for (String part : text.split(",", -1)) {
            Matcher range = RANGE.matcher(part);
            if (!range.matches()) {
                throw new IllegalArgumentException("`" + part.strip() + "` is neither a number nor a range of numbers");
            }
            int from = Integer.parseInt(range.group(1));
            int to = range.group(2) == null ? from : Integer.parseInt(range.group(2));
            if (to < from || to >= MOST) {
                throw new IllegalArgumentException("the range `" + part.strip() + "` " + (to < from ? "ends before it begins"
                        : "ends beyond " + (MOST - 1)));
            }
            all.set(from, to + 1);
        }
        return new Cpus(all);
    }

    public int count() {
        return numbers.cardinality();
    }

    /** In rising order. */
    public List<Integer> numbers() {
        return numbers.stream().boxed().toList();
    }

    /** Those that the other has too; null if it has none. */
    public Cpus common(Cpus other) {
        BitSet both = (BitSet) numbers.clone();
        both.and(other.numbers);
        return both.isEmpty() ? null : new Cpus(both);
    }

    /** These and those of the other. */
    public Cpus with(Cpus other) {
        BitSet all = (BitSet) numbers.clone();
        all.or(other.numbers);
        return new Cpus(all);
    }

    /** Those that the other does not have; null if it has all. */
    public Cpus without(Cpus others) {
        BitSet left = (BitSet) numbers.clone();
        left.andNot(others.numbers);
        return left.isEmpty() ? null : new Cpus(left);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Cpus cpus && numbers.equals(cpus.numbers);
    }

    @Override
    public int hashCode() {
        return numbers.hashCode();
    }

    /** In the shortest form. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        IntStream begins = numbers.stream().filter(k -> k == 0 || !numbers.get(k - 1));
        begins.forEach(from -> {
            int to = numbers.nextClearBit(from) - 1;
            text.append(text.isEmpty() ? "" : ",").append(from).append(to == from ? "" : "-" + to);
        });
        return text.toString();
    }
}

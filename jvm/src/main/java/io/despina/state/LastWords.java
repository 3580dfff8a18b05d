package io.despina.state;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Of the sections of a chain, which one has the last word about each entry that a section of changes names. */
final class LastWords {
    /** Sections of changes in a chain. */
    static final int MOST = Byte.MAX_VALUE;
    private static final int FIRST = 64;

    /** By group: of each number the section that has put it last, or said that it is gone; 0 for none. */
    private final Map<Integer, byte[]> sections = new HashMap<>();
    /** The section that said that a group is gone. */
    private final Map<Integer, Integer> goneGroups = new HashMap<>();

    /** Sections ascend, and the oldest, which has all entries, is 0. */
    void say(int section, int group, int number) {
        byte[] ofGroup = sections.computeIfAbsent(group, any -> new byte[FIRST]);
        if (number >= ofGroup.length) {
            ofGroup = Arrays.copyOf(ofGroup, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(number + 1L, 2L * ofGroup.length)));
            sections.put(group, ofGroup);
        }
        ofGroup[number] = (byte) section;
    }

    void groupGone(int section, int group) {
        sections.remove(group);
        goneGroups.put(group, section);
    }

    Group group(int group) {
        return new Group(sections.getOrDefault(group, new byte[0]), goneGroups.getOrDefault(group, 0));
    }

    /** What is known of a group. */
    static final class Group {
        private final byte[] sections;
        private final int goneIn;

        private Group(byte[] sections, int goneIn) {
            this.sections = sections;
            this.goneIn = goneIn;
        }

        /** Whether what a section says of an entry stands. */
        boolean stands(int section, int number) {
            return goneIn <= section && (number >= sections.length || sections[number] <= section);
        }
    }
}

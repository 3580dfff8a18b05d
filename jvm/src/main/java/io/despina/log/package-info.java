/**
 * A log that outlives its process: numbered records in segments of a folder, forced to the disk in groups. It knows bytes, and
 * imports no other package.
 */
package io.despina.log;

/** The sliding window of thresholds, for counting anything else. */
package com.jd.sword.mybatis.plugin.protector.counter;
